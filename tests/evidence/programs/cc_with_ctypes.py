"""Both ends of generation 2 in one process, through ctypes; functions by names whose prefix only a run shows."""

import sys
from ctypes import CDLL, CFUNCTYPE, POINTER, byref, c_int, c_uint8, c_uint32, c_uint64, c_void_p, string_at

PREFIX = sys.argv[1]
FILTER_ALL, IDLE, RUNNING = 0, 0, 2
COMPLETION_CB = CFUNCTYPE(None, c_void_p, c_uint64, c_uint64)
RECV_CB = CFUNCTYPE(None, c_void_p, c_void_p, c_uint32, c_void_p)
STATUS_CB = CFUNCTYPE(None, c_void_p, c_void_p, c_uint8)
common = CDLL("libdoca_common.so.2")
lib = CDLL("libdoca_cc.so.2")
common.doca_pe_progress.restype = c_uint8
common.doca_task_free.restype = None
for function in (lib.doca_cc_server_as_ctx, lib.doca_cc_client_as_ctx, lib.doca_cc_task_send_as_task):
    function.restype = c_void_p
    function.argtypes = [c_void_p]


def open_device(address):
    infos, number, is_equal, dev = POINTER(c_void_p)(), c_uint32(), c_uint8(), c_void_p()
    common.doca_devinfo_create_list(byref(infos), byref(number))
    for at in range(number.value):
        common.doca_devinfo_is_equal_pci_addr(c_void_p(infos[at]), address, byref(is_equal))
        if is_equal.value:
            common.doca_dev_open(c_void_p(infos[at]), byref(dev))
    common.doca_devinfo_destroy_list(infos)
    return dev


def open_representor(dev, address):
    infos, number, is_equal, rep = POINTER(c_void_p)(), c_uint32(), c_uint8(), c_void_p()
    common.doca_devinfo_rep_create_list(dev, FILTER_ALL, byref(infos), byref(number))
    for at in range(number.value):
        common.doca_devinfo_rep_is_equal_pci_addr(c_void_p(infos[at]), address, byref(is_equal))
        if is_equal.value:
            common.doca_dev_rep_open(c_void_p(infos[at]), byref(rep))
    common.doca_devinfo_rep_destroy_list(infos)
    return rep


up, heard, done = [], [], []


@COMPLETION_CB
def completed(task, task_user_data, ctx_user_data):
    common.doca_task_free(c_void_p(lib.doca_cc_task_send_as_task(task)))
    done.append(1)


@RECV_CB
def received(event, buffer, length, connection):
    heard.append(string_at(buffer, length))


@STATUS_CB
def connected(event, connection, successful):
    up.append(1)


@STATUS_CB
def disconnected(event, connection, successful):
    up.pop()


def wait(items, number):
    while len(items) != number:
        common.doca_pe_progress(pe)


def wait_for(wanted):
    state = c_int()
    while True:
        common.doca_pe_progress(pe)
        common.doca_ctx_get_state(c_void_p(lib.doca_cc_client_as_ctx(client)), byref(state))
        if state.value == wanted:
            break


dpu, host = open_device(b"03:00.0"), open_device(b"b1:00.0")
pe, task, server, client, peer = c_void_p(), c_void_p(), c_void_p(), c_void_p(), c_void_p()
common.doca_pe_create(byref(pe))
print(getattr(lib, PREFIX + "server_create")(dpu, open_representor(dpu, b"b1:00.0"), b"svc", byref(server)))
print(getattr(lib, PREFIX + "server_task_send_set_conf")(server, completed, completed, 8))
print(getattr(lib, PREFIX + "server_event_msg_recv_register")(server, received))
print(getattr(lib, PREFIX + "server_event_connection_register")(server, connected, disconnected))
common.doca_pe_connect_ctx(pe, c_void_p(lib.doca_cc_server_as_ctx(server)))
print(common.doca_ctx_start(c_void_p(lib.doca_cc_server_as_ctx(server))))
print(getattr(lib, PREFIX + "client_create")(host, b"svc", byref(client)))
print(getattr(lib, PREFIX + "client_task_send_set_conf")(client, completed, completed, 8))
print(getattr(lib, PREFIX + "client_event_msg_recv_register")(client, received))
common.doca_pe_connect_ctx(pe, c_void_p(lib.doca_cc_client_as_ctx(client)))
common.doca_ctx_start(c_void_p(lib.doca_cc_client_as_ctx(client)))
wait(up, 1)
wait_for(RUNNING)
print(getattr(lib, PREFIX + "client_get_connection")(client, byref(peer)))
for number, word in enumerate((b"one", b"three"), 1):
    print(getattr(lib, PREFIX + "client_task_send_alloc_init")(client, peer, word, len(word), byref(task)))
    print(common.doca_task_submit(c_void_p(lib.doca_cc_task_send_as_task(task))))
    wait(heard, number)
    wait(done, number)
    print(heard[-1])
common.doca_ctx_stop(c_void_p(lib.doca_cc_client_as_ctx(client)))
wait(up, 0)
wait_for(IDLE)
common.doca_ctx_stop(c_void_p(lib.doca_cc_server_as_ctx(server)))
print(getattr(lib, PREFIX + "client_destroy")(client), getattr(lib, PREFIX + "server_destroy")(server))
