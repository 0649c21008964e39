"""cc_ctrl_path_common: transliterated from C, the names of DOCA 2.5."""

from doca_cc import *

CC_MAX_MSG_SIZE = 4080
CC_REC_QUEUE_SIZE = 10
CC_SEND_TASK_NUM = 10  # log2


class ctrl_path_objects:
    hw_dev = None
    rep_dev = None
    pe = None
    server = None
    client = None
    ctx = None
    text = b""
    finish = False
    result = DOCA_SUCCESS


def DOCA_LOG_ERR(what, result):
    print("ERR %s: %s" % (what, doca_error_get_name(result)))


def open_doca_device_with_pci(pci_addr):
    result, dev_list, nb_devs = doca_devinfo_create_list()
    if result != DOCA_SUCCESS:
        return result, None
    i = 0
    while i < nb_devs:
        result, is_addr_equal = doca_devinfo_is_equal_pci_addr(dev_list[i], pci_addr)
        if result == DOCA_SUCCESS and is_addr_equal:
            result, retval = doca_dev_open(dev_list[i])
            doca_devinfo_destroy_list(dev_list)
            return result, retval
        i += 1
    doca_devinfo_destroy_list(dev_list)
    return DOCA_ERROR_NOT_FOUND, None


def clean_comm_channel(pe, ctx, destroy, handle):
    result = doca_ctx_stop(ctx)
    if result != DOCA_SUCCESS and result != DOCA_ERROR_IN_PROGRESS:
        DOCA_LOG_ERR("stop", result)
    result, state = doca_ctx_get_state(ctx)
    while state != DOCA_CTX_STATE_IDLE:
        doca_pe_progress(pe)
        result, state = doca_ctx_get_state(ctx)
    result = destroy(handle)
    if result != DOCA_SUCCESS:
        DOCA_LOG_ERR("destroy", result)
    result = doca_pe_destroy(pe)
    if result != DOCA_SUCCESS:
        DOCA_LOG_ERR("pe destroy", result)
