"""What both ends need, in the names of C."""
import sys

from doca_comm_channel import (
    DOCA_DEV_REP_FILTER_NET, DOCA_ERROR_NOT_FOUND, DOCA_SUCCESS,
    doca_dev_open, doca_dev_rep_close, doca_dev_rep_open,
    doca_devinfo_create_list, doca_devinfo_destroy_list, doca_devinfo_get_is_pci_addr_equal,
    doca_devinfo_rep_create_list, doca_devinfo_rep_destroy_list, doca_devinfo_rep_get_is_pci_addr_equal,
    doca_error_get_descr, doca_error_get_name,
)


def die(rc, what):
    """Every code but success ends the program."""
    if rc != DOCA_SUCCESS:
        print("%s: %s" % (what, doca_error_get_name(rc)))
        print(doca_error_get_descr(rc), file=sys.stderr)
        sys.exit(1)


def open_doca_device(pci_addr):
    rc, infos, count = doca_devinfo_create_list()
    die(rc, "list of devices")
    dev, rc = None, DOCA_ERROR_NOT_FOUND
    for i in range(count):
        res, equal = doca_devinfo_get_is_pci_addr_equal(infos[i], pci_addr)
        if res == DOCA_SUCCESS and equal:
            rc, dev = doca_dev_open(infos[i])
            if rc == DOCA_SUCCESS:
                break
    doca_devinfo_destroy_list(infos)
    return rc, dev


def open_doca_device_rep(dev, pci_addr):
    rc, infos, count = doca_devinfo_rep_create_list(dev, DOCA_DEV_REP_FILTER_NET)
    if rc != DOCA_SUCCESS:
        return rc, None
    rep, rc = None, DOCA_ERROR_NOT_FOUND
    for info in infos[:count]:
        res, equal = doca_devinfo_rep_get_is_pci_addr_equal(info, pci_addr)
        if res == DOCA_SUCCESS and equal == 1:
            rc, rep = doca_dev_rep_open(info)
            break
    doca_devinfo_rep_destroy_list(infos)
    return rc, rep
