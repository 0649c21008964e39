"""What the server side refuses, call after call, with numbers as the codes."""
from ctypes import CDLL, CFUNCTYPE, POINTER, byref, c_char_p, c_int, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

core, cc = CDLL("libdoca_common.so.2"), CDLL("libdoca_cc.so.2")
CB = CFUNCTYPE(None, c_void_p, c_uint64, c_uint64)
RECV = CFUNCTYPE(None, c_void_p, c_void_p, c_uint32, c_void_p)
CONN = CFUNCTYPE(None, c_void_p, c_void_p, c_uint8)
cc.doca_cc_server_as_ctx.restype = cc.doca_cc_client_as_ctx.restype = c_void_p
NOTHING = c_void_p(None)


@CB
def sent(*_):
    pass


@RECV
def received(*_):
    pass


@CONN
def changed(*_):
    pass


def opened(pci):
    infos, n, equal, dev = POINTER(c_void_p)(), c_uint32(), c_uint8(), c_void_p()
    core.doca_devinfo_create_list(byref(infos), byref(n))
    for i in range(n.value):
        core.doca_devinfo_is_equal_pci_addr(c_void_p(infos[i]), pci, byref(equal))
        if equal.value:
            core.doca_dev_open(c_void_p(infos[i]), byref(dev))
    core.doca_devinfo_destroy_list(infos)
    return dev


def representor(dev, index):
    reps, n, rep = POINTER(c_void_p)(), c_uint32(), c_void_p()
    core.doca_devinfo_rep_create_list(dev, 0, byref(reps), byref(n))
    core.doca_dev_rep_open(c_void_p(reps[index]), byref(rep))
    core.doca_devinfo_rep_destroy_list(reps)
    return rep


dpu, host = opened(b"03:00.0"), opened(b"b1:00.0")
rep, server, second, pe, cell = representor(dpu, 0), c_void_p(), c_void_p(), c_void_p(), c_uint32(7)
conf = cc.doca_cc_server_task_send_set_conf
print("create", cc.doca_cc_server_create(NOTHING, rep, b"s", byref(server)),
      cc.doca_cc_server_create(dpu, NOTHING, b"s", byref(server)), cc.doca_cc_server_create(dpu, rep, None, byref(server)),
      cc.doca_cc_server_create(rep, dpu, b"s", byref(server)), cc.doca_cc_server_create(dpu, rep, b"s", None))
print("nothing came of it", server.value, cell.value)
print("create", cc.doca_cc_server_create(dpu, rep, b"s", byref(server)), cc.doca_cc_server_create(
    dpu, rep, b"s", byref(second)))
ctx, other = c_void_p(cc.doca_cc_server_as_ctx(server)), c_void_p(cc.doca_cc_server_as_ctx(second))
print("sizes", [cc.doca_cc_server_set_max_msg_size(server, size) for size in (0, 1, 65535, 65536, 2**32 - 1)])
print("queues", [cc.doca_cc_server_set_recv_queue_size(server, size) for size in (0, 1, 8192, 8193)])
print("tasks", [conf(server, sent, sent, number) for number in (0, 1, 8192, 8193)])
print("callbacks", conf(server, None, sent, 1), conf(server, sent, None, 1), conf(NOTHING, sent, sent, 1),
      cc.doca_cc_server_event_msg_recv_register(server, None),
      cc.doca_cc_server_event_connection_register(server, changed, None))
print("asked", cc.doca_cc_server_get_max_msg_size(server, byref(cell)), cell.value,
      cc.doca_cc_server_get_max_msg_size(server, None))
core.doca_pe_create(byref(pe))
print("engine", core.doca_pe_connect_ctx(pe, ctx), core.doca_pe_connect_ctx(pe, ctx), core.doca_pe_connect_ctx(pe, other))
print("start without a receiver", core.doca_ctx_start(ctx))
for end in (server, second):
    assert cc.doca_cc_server_event_msg_recv_register(end, received) == 0
    assert cc.doca_cc_server_event_connection_register(end, changed, changed) == 0
    assert conf(end, sent, sent, 4) == 0
print("start", core.doca_ctx_start(ctx))
print("the name is taken", core.doca_ctx_start(other))
print("running", cc.doca_cc_server_set_recv_queue_size(server, 8), conf(server, sent, sent, 4),
      cc.doca_cc_server_event_msg_recv_register(server, received), cc.doca_cc_server_destroy(server),
      core.doca_ctx_start(ctx))
task = c_void_p()
print("no peer", cc.doca_cc_server_task_send_alloc_init(server, NOTHING, b"x", 1, byref(task)),
      cc.doca_cc_server_task_send_alloc_init(server, server, b"x", 1, byref(task)), task.value)
print("stop", core.doca_ctx_stop(ctx), core.doca_ctx_stop(ctx), core.doca_ctx_stop(NOTHING))
print("in use", core.doca_dev_rep_close(rep), core.doca_dev_close(dpu), core.doca_pe_destroy(pe))
print("destroy", [cc.doca_cc_server_destroy(end) for end in (server, server, second)])
print("stale", core.doca_ctx_start(ctx), core.doca_ctx_start(c_void_p(cc.doca_cc_server_as_ctx(server))),
      cc.doca_cc_client_destroy(server))
print("the rest", core.doca_pe_destroy(pe), core.doca_dev_rep_close(rep), core.doca_dev_rep_close(rep),
      core.doca_dev_close(dpu), core.doca_dev_close(host))
