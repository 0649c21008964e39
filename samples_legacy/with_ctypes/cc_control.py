"""The second channel API (DOCA 2.6) through ctypes: the libraries, and what both ends of a control path do."""
import time
from ctypes import (CDLL, CFUNCTYPE, POINTER, byref, c_char_p, c_int, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p,
                    string_at)

from channel import check, common

MAX_MSG_SIZE = 4080
NUM_SEND_TASKS = 16
TIMEOUT_S = 30.0
DOCA_SUCCESS, DOCA_ERROR_TIME_OUT, DOCA_ERROR_CONNECTION_RESET, DOCA_ERROR_IN_PROGRESS = 0, 9, 11, 26
IDLE, STARTING, RUNNING, STOPPING = range(4)

cc = CDLL("libdoca_cc.so.2")

HANDLE, HANDLE_OUT, USER_DATA = c_void_p, POINTER(c_void_p), c_uint64
TASK_CB = CFUNCTYPE(None, HANDLE, USER_DATA, USER_DATA)
MSG_RECV_CB = CFUNCTYPE(None, HANDLE, c_void_p, c_uint32, HANDLE)
CONNECTION_CB = CFUNCTYPE(None, HANDLE, HANDLE, c_uint8)
STATE_CB = CFUNCTYPE(None, USER_DATA, HANDLE, c_int, c_int)

CORE = {
    "doca_pe_create": [HANDLE_OUT],
    "doca_pe_destroy": [HANDLE],
    "doca_pe_progress": [HANDLE],
    "doca_pe_connect_ctx": [HANDLE, HANDLE],
    "doca_ctx_start": [HANDLE],
    "doca_ctx_stop": [HANDLE],
    "doca_ctx_get_state": [HANDLE, POINTER(c_int)],
    "doca_ctx_get_num_inflight_tasks": [HANDLE, POINTER(c_size_t)],
    "doca_ctx_set_user_data": [HANDLE, USER_DATA],
    "doca_ctx_set_state_changed_cb": [HANDLE, STATE_CB],
    "doca_task_submit": [HANDLE],
    "doca_task_free": [HANDLE],
    "doca_task_get_status": [HANDLE],
}
OF_BOTH = {  # of a server and of a client
    "destroy": [HANDLE],
    "set_max_msg_size": [HANDLE, c_uint32],
    "as_ctx": [HANDLE],
    "task_send_set_conf": [HANDLE, TASK_CB, TASK_CB, c_uint32],
    "task_send_alloc_init": [HANDLE, HANDLE, c_char_p, c_uint32, HANDLE_OUT],
    "event_msg_recv_register": [HANDLE, MSG_RECV_CB],
}
CHANNEL = {
    "doca_cc_task_send_as_task": [HANDLE],
    "doca_cc_connection_update_info": [HANDLE],
    "doca_cc_server_create": [HANDLE, HANDLE, c_char_p, HANDLE_OUT],
    "doca_cc_server_event_connection_register": [HANDLE, CONNECTION_CB, CONNECTION_CB],
    "doca_cc_server_get_server_ctx": [HANDLE],
    "doca_cc_client_create": [HANDLE, c_char_p, HANDLE_OUT],
    "doca_cc_client_get_connection": [HANDLE, HANDLE_OUT],
}
for name, types in OF_BOTH.items():
    CHANNEL["doca_cc_server_" + name] = CHANNEL["doca_cc_client_" + name] = types
for library, functions in ((common, CORE), (cc, CHANNEL)):
    for name, types in functions.items():
        function = getattr(library, name)
        function.argtypes = types
        if name.endswith(("_as_ctx", "_as_task", "_get_server_ctx")):
            function.restype = HANDLE
common.doca_pe_progress.restype = c_uint8
common.doca_task_free.restype = None


def show(what, text):
    print("peer 1 %s %d bytes %r" % (what, len(text), text.decode(errors="replace")), flush=True)


def new(create, *arguments):
    """The handle that a call makes."""
    handle = c_void_p()
    check(create(*arguments, byref(handle)))
    return handle


def submit_text(alloc_init, end, connection, text):
    task = new(alloc_init, end, connection, text, len(text))
    check(common.doca_task_submit(cc.doca_cc_task_send_as_task(task)))


def text_of(recv_buffer, msg_len):
    return string_at(recv_buffer, msg_len)


def free(task):
    """Its status, the last that is asked of it."""
    generic = cc.doca_cc_task_send_as_task(task)
    status = common.doca_task_get_status(generic)
    common.doca_task_free(generic)
    return status


def progress(pe):
    if not common.doca_pe_progress(pe):
        time.sleep(1e-5)


def state_of(ctx):
    state = c_int()
    check(common.doca_ctx_get_state(ctx, byref(state)))
    return state.value


def stop(pe, ctx):
    if state_of(ctx) != IDLE:
        common.doca_ctx_stop(ctx)
    while state_of(ctx) != IDLE:
        progress(pe)
