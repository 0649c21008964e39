# Port of comm_channel common.c: open devices by PCI address, one exit of every function.
import doca_comm_channel as doca
from doca_comm_channel import (
    DOCA_DEVINFO_REP_FILTER_NET,
    DOCA_ERROR_INVALID_VALUE,
    DOCA_ERROR_NOT_FOUND,
    DOCA_SUCCESS,
    doca_dev_open,
    doca_dev_rep_open,
    doca_devinfo_create_list,
    doca_devinfo_destroy_list,
    doca_devinfo_get_pci_addr_str,
    doca_devinfo_is_equal_pci_addr,
    doca_devinfo_rep_create_list,
    doca_devinfo_rep_destroy_list,
    doca_devinfo_rep_is_equal_pci_addr,
)

PCI_ADDR_LEN = 8


def doca_log_err(fmt, *args):
    print("ERR  " + fmt % args)


def open_doca_device_with_pci(value, retval):
    """retval is a list of one, as the C function has a pointer."""
    dev_list = None
    retval[0] = None
    res = DOCA_SUCCESS
    while True:  # once; break is goto out
        if len(value) < PCI_ADDR_LEN - 1:
            res = DOCA_ERROR_INVALID_VALUE
            break
        res, dev_list, nb_devs = doca_devinfo_create_list()
        if res != DOCA_SUCCESS:
            doca_log_err("Failed to load doca devices list. Doca_error value: %d", res)
            break
        i = 0
        while i < nb_devs:
            res, is_addr_equal = doca_devinfo_is_equal_pci_addr(dev_list[i], value)
            if res == DOCA_SUCCESS and is_addr_equal:
                res, retval[0] = doca_dev_open(dev_list[i])
                if res == DOCA_SUCCESS:
                    break
            i += 1
        else:
            doca_log_err("Matching device %s not found", value)
            res = DOCA_ERROR_NOT_FOUND
        break
    if dev_list is not None:
        doca_devinfo_destroy_list(dev_list)
    return res


def open_doca_device_rep_with_pci(local, filter, pci_addr, retval):
    retval[0] = None
    result, rep_dev_list, nb_rdevs = doca_devinfo_rep_create_list(local, filter)
    if result != DOCA_SUCCESS:
        doca_log_err("Failed to create devinfo representor list: %s", doca.doca_error_get_name(result))
        return DOCA_ERROR_INVALID_VALUE
    result = DOCA_ERROR_NOT_FOUND
    for i in range(0, nb_rdevs):
        rc, is_addr_equal = doca_devinfo_rep_is_equal_pci_addr(rep_dev_list[i], pci_addr)
        if rc == DOCA_SUCCESS and is_addr_equal:
            result, retval[0] = doca_dev_rep_open(rep_dev_list[i])
            break
    doca_devinfo_rep_destroy_list(rep_dev_list)
    return result


def pci_of(dev):
    """The address of an open device, for messages."""
    res, addr = doca_devinfo_get_pci_addr_str(doca.doca_dev_as_devinfo(dev))
    if res != DOCA_SUCCESS:
        return "?"
    return addr
