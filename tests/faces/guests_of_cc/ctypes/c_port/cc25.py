"""libdoca_cc of DOCA 2.5 for ctypes: what the C sample includes, then its objects and its callbacks."""
import ctypes
from ctypes import POINTER, byref, c_bool, c_char_p, c_int, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

common = ctypes.cdll.LoadLibrary("libdoca_common.so.2")
libcc = ctypes.cdll.LoadLibrary("libdoca_cc.so.2")

DOCA_SUCCESS, DOCA_ERROR_NOT_FOUND, DOCA_ERROR_IN_PROGRESS = 0, 16, 26
IDLE, STARTING, RUNNING, STOPPING = 0, 1, 2, 3


class doca_data(ctypes.Structure):
    _fields_ = [("u64", c_uint64)]


send_task_comp_handler = ctypes.CFUNCTYPE(None, c_void_p, doca_data, doca_data)
event_msg_recv_cb_t = ctypes.CFUNCTYPE(None, c_void_p, POINTER(c_uint8), c_size_t, c_void_p)
event_connection_status_changed_cb_t = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_bool)
ctx_state_changed_callback_t = ctypes.CFUNCTYPE(None, doca_data, c_void_p, c_int, c_int)

common.doca_error_get_name.restype = c_char_p
common.doca_task_free.restype = None
common.doca_task_free.argtypes = [c_void_p]
common.doca_task_submit.argtypes = common.doca_task_get_status.argtypes = [c_void_p]
common.doca_ctx_start.argtypes = common.doca_ctx_stop.argtypes = [c_void_p]
common.doca_pe_progress.argtypes, common.doca_pe_progress.restype = [c_void_p], c_uint8
common.doca_pe_connect_ctx.argtypes = [c_void_p, c_void_p]
common.doca_ctx_set_user_data.argtypes = [c_void_p, doca_data]
common.doca_ctx_set_state_changed_cb.argtypes = [c_void_p, ctx_state_changed_callback_t]
for name in ("server_as_ctx", "client_as_ctx", "send_task_as_task", "server_get_server_ctx"):
    getattr(libcc, "doca_cc_" + name).restype = c_void_p
    getattr(libcc, "doca_cc_" + name).argtypes = [c_void_p]
for side in ("server", "client"):
    getattr(libcc, f"doca_cc_{side}_destroy").argtypes = [c_void_p]
    getattr(libcc, f"doca_cc_{side}_set_max_msg_size").argtypes = [c_void_p, c_size_t]
    getattr(libcc, f"doca_cc_{side}_get_max_msg_size").argtypes = [c_void_p, POINTER(c_size_t)]
    getattr(libcc, f"doca_cc_{side}_send_task_set_conf").argtypes = [c_void_p, send_task_comp_handler,
                                                                     send_task_comp_handler, c_uint8]
    getattr(libcc, f"doca_cc_{side}_send_task_alloc_init").argtypes = [c_void_p, c_void_p, c_char_p, c_size_t,
                                                                       POINTER(c_void_p)]
    getattr(libcc, f"doca_cc_{side}_event_msg_recv_register").argtypes = [c_void_p, event_msg_recv_cb_t]
libcc.doca_cc_server_event_connection_register.argtypes = [c_void_p, event_connection_status_changed_cb_t,
                                                           event_connection_status_changed_cb_t]


def DOCA_LOG_ERR(fmt, result, *args):
    print("ERR", fmt % args, common.doca_error_get_name(result).decode())


def open_doca_device_with_pci(pci_addr):
    dev_list, nb_devs, is_equal, dev = POINTER(c_void_p)(), c_uint32(0), c_uint8(0), c_void_p()
    result = common.doca_devinfo_create_list(byref(dev_list), byref(nb_devs))
    if result != DOCA_SUCCESS:
        return result, None
    result = DOCA_ERROR_NOT_FOUND
    for i in range(nb_devs.value):
        info = c_void_p(dev_list[i])
        if common.doca_devinfo_is_equal_pci_addr(info, pci_addr, byref(is_equal)) == 0 and is_equal.value:
            result = common.doca_dev_open(info, byref(dev))
            break
    common.doca_devinfo_destroy_list(dev_list)
    return result, dev


def open_doca_device_rep_with_pci(dev, pci_addr):
    reps, nb, is_equal, rep = POINTER(c_void_p)(), c_uint32(0), c_uint8(0), c_void_p()
    result = common.doca_devinfo_rep_create_list(dev, 2, byref(reps), byref(nb))
    if result != DOCA_SUCCESS:
        return result, None
    result = DOCA_ERROR_NOT_FOUND
    for i in range(nb.value):
        info = c_void_p(reps[i])
        if common.doca_devinfo_rep_is_equal_pci_addr(info, pci_addr, byref(is_equal)) == 0 and is_equal.value:
            result = common.doca_dev_rep_open(info, byref(rep))
            break
    common.doca_devinfo_rep_destroy_list(reps)
    return result, rep


def send(alloc_init, end, connection, text):
    task = c_void_p()
    result = alloc_init(end, connection, text, len(text), byref(task))
    if result != DOCA_SUCCESS:
        DOCA_LOG_ERR("no task:", result)
        return result
    return common.doca_task_submit(libcc.doca_cc_send_task_as_task(task))
