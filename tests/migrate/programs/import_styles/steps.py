from doca_comm_channel import *
import time


def prepare(ep):
    rc, infos, n = doca_devinfo_create_list()
    if DOCA_IS_ERROR(rc):
        return rc, None
    device = None
    for info in infos[:n]:
        if doca_devinfo_is_equal_pci_addr(info, "b1:00.0") == (DOCA_SUCCESS, True):
            rc, device = doca_dev_open(info)
    doca_devinfo_destroy_list(infos)
    if device is None:
        return DOCA_ERROR_NOT_FOUND, None
    return doca_comm_channel_ep_set_device(ep, device), device


def wait_connected(peer):
    for turn in range(500000):
        rc = doca_comm_channel_peer_addr_update_info(peer)
        if rc == DOCA_ERROR_CONNECTION_INPROGRESS:
            time.sleep(1e-4)
        else:
            return rc
    return DOCA_ERROR_TIME_OUT


def why(rc):
    return doca_error_get_name(rc).replace("DOCA_", "").replace("ERROR_", "").lower()
