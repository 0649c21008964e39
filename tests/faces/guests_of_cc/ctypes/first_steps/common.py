from ctypes import *

doca = CDLL("libdoca_common.so.2")
cc = CDLL("libdoca_cc.so.2")

P = c_void_p
SENT = CFUNCTYPE(None, P, c_uint64, c_uint64)
RECEIVED = CFUNCTYPE(None, P, POINTER(c_uint8), c_uint32, P)
CONNECTION = CFUNCTYPE(None, P, P, c_uint8)


def function(lib, name, restype, *argtypes):
    f = getattr(lib, name)
    f.restype, f.argtypes = restype, argtypes
    return f


create_list = function(doca, "doca_devinfo_create_list", c_int, POINTER(POINTER(P)), POINTER(c_uint32))
destroy_list = function(doca, "doca_devinfo_destroy_list", c_int, POINTER(P))
is_equal = function(doca, "doca_devinfo_is_equal_pci_addr", c_int, P, c_char_p, POINTER(c_uint8))
rep_list = function(doca, "doca_devinfo_rep_create_list", c_int, P, c_int, POINTER(POINTER(P)), POINTER(c_uint32))
rep_destroy = function(doca, "doca_devinfo_rep_destroy_list", c_int, POINTER(P))
dev_open = function(doca, "doca_dev_open", c_int, P, POINTER(P))
rep_open = function(doca, "doca_dev_rep_open", c_int, P, POINTER(P))
dev_close = function(doca, "doca_dev_close", c_int, P)
rep_close = function(doca, "doca_dev_rep_close", c_int, P)
pe_create = function(doca, "doca_pe_create", c_int, POINTER(P))
pe_destroy = function(doca, "doca_pe_destroy", c_int, P)
progress = function(doca, "doca_pe_progress", c_uint8, P)
connect_ctx = function(doca, "doca_pe_connect_ctx", c_int, P, P)
start = function(doca, "doca_ctx_start", c_int, P)
stop = function(doca, "doca_ctx_stop", c_int, P)
get_state = function(doca, "doca_ctx_get_state", c_int, P, POINTER(c_int))
submit = function(doca, "doca_task_submit", c_int, P)
task_free = function(doca, "doca_task_free", None, P)
error_name = function(doca, "doca_error_get_name", c_char_p, c_int)
as_task = function(cc, "doca_cc_task_send_as_task", P, P)


def check(rc):
    if rc:
        raise OSError(rc, error_name(rc).decode())


def open_device(pci):
    infos, n, equal, dev = POINTER(P)(), c_uint32(), c_uint8(), P()
    check(create_list(byref(infos), byref(n)))
    for i in range(n.value):
        check(is_equal(infos[i], pci, byref(equal)))
        if equal.value == 1:
            check(dev_open(infos[i], byref(dev)))
    check(destroy_list(infos))
    return dev


def state(ctx):
    now = c_int()
    check(get_state(ctx, byref(now)))
    return now.value


@SENT
def free(task, task_data, ctx_data):
    task_free(as_task(task))
