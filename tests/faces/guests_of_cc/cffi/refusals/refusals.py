"""A bug hunter's list: every way in which the calls may be wrong, and what they say."""
from cffi import FFI

ffi = FFI()
ffi.cdef("""
    typedef int rc; typedef void (*cb)(void *, uint64_t, uint64_t); typedef void (*recv)(void *, void *, uint32_t, void *);
    rc doca_devinfo_create_list(void ***, uint32_t *); rc doca_devinfo_destroy_list(void **);
    rc doca_devinfo_is_equal_pci_addr(void *, const char *, uint8_t *);
    rc doca_dev_open(void *, void **); rc doca_dev_close(void *);
    rc doca_pe_create(void **); rc doca_pe_destroy(void *); rc doca_pe_connect_ctx(void *, void *);
    uint8_t doca_pe_progress(void *); rc doca_pe_get_num_inflight_tasks(void *, size_t *);
    rc doca_ctx_start(void *); rc doca_ctx_stop(void *); rc doca_ctx_get_state(void *, int *);
    const char *doca_error_get_name(rc);
    rc doca_cc_client_create(void *, const char *, void **); rc doca_cc_client_destroy(void *);
    void *doca_cc_client_as_ctx(void *); rc doca_cc_client_get_connection(void *, void **);
    rc doca_cc_client_set_max_msg_size(void *, uint32_t); rc doca_cc_client_get_max_msg_size(void *, uint32_t *);
    rc doca_cc_client_set_recv_queue_size(void *, uint32_t);
    rc doca_cc_client_task_send_set_conf(void *, cb, cb, uint32_t);
    rc doca_cc_client_event_msg_recv_register(void *, recv);
    rc doca_cc_connection_update_info(void *); void *doca_cc_task_send_as_task(void *);
""")
core, cc = ffi.dlopen("libdoca_common.so.2"), ffi.dlopen("libdoca_cc.so.2")


def say(what, rc):
    print(f"{what}: {ffi.string(core.doca_error_get_name(rc)).decode().replace('DOCA_ERROR_', '')}")


@ffi.callback("cb")
def sent(*_):
    pass


@ffi.callback("recv")
def received(*_):
    pass


def device():
    infos, n, equal, dev = ffi.new("void ***"), ffi.new("uint32_t *"), ffi.new("uint8_t *"), ffi.new("void **")
    core.doca_devinfo_create_list(infos, n)
    for i in range(n[0]):
        core.doca_devinfo_is_equal_pci_addr(infos[0][i], b"b1:00.0", equal)
        if equal[0]:
            core.doca_dev_open(infos[0][i], dev)
            break
    core.doca_devinfo_destroy_list(infos[0])
    return dev[0]


dev, cell, size, state = device(), ffi.new("void **"), ffi.new("uint32_t *"), ffi.new("int *")
say("no device", cc.doca_cc_client_create(ffi.NULL, b"svc", cell))
say("no name", cc.doca_cc_client_create(dev, ffi.NULL, cell))
say("no room for the client", cc.doca_cc_client_create(dev, b"svc", ffi.NULL))
say("a long name", cc.doca_cc_client_create(dev, b"x" * 128, cell))
say("a client", cc.doca_cc_client_create(dev, b"nobody", cell))
client = cell[0]
ctx = cc.doca_cc_client_as_ctx(client)
print("ctx of nothing:", cc.doca_cc_client_as_ctx(ffi.NULL))
print("task of nothing:", cc.doca_cc_task_send_as_task(ffi.NULL))
print("progress of nothing:", core.doca_pe_progress(ffi.NULL))
say("a message of 0", cc.doca_cc_client_set_max_msg_size(client, 0))
say("a message of 65536", cc.doca_cc_client_set_max_msg_size(client, 65536))
say("a message of 100", cc.doca_cc_client_set_max_msg_size(client, 100))
say("asked", cc.doca_cc_client_get_max_msg_size(client, size))
print("it is", size[0])
say("a queue of 8193", cc.doca_cc_client_set_recv_queue_size(client, 8193))
say("no callback", cc.doca_cc_client_task_send_set_conf(client, sent, ffi.NULL, 4))
say("no tasks", cc.doca_cc_client_task_send_set_conf(client, sent, sent, 0))
say("8193 tasks", cc.doca_cc_client_task_send_set_conf(client, sent, sent, 8193))
say("4 tasks", cc.doca_cc_client_task_send_set_conf(client, sent, sent, 4))
say("no receiver", cc.doca_cc_client_event_msg_recv_register(client, ffi.NULL))
say("a receiver", cc.doca_cc_client_event_msg_recv_register(client, received))
say("start without an engine", core.doca_ctx_start(ctx))
say("an engine", core.doca_pe_create(cell))
pe = cell[0]
say("connected to nothing", core.doca_pe_connect_ctx(pe, ffi.NULL))
say("connected", core.doca_pe_connect_ctx(pe, ctx))
say("the engine goes first", core.doca_pe_destroy(pe))
say("connection before start", cc.doca_cc_client_get_connection(client, cell))
say("stop before start", core.doca_ctx_stop(ctx))
say("start", core.doca_ctx_start(ctx))
say("start again", core.doca_ctx_start(ctx))
say("settings while it runs", cc.doca_cc_client_set_max_msg_size(client, 200))
say("destroy while it runs", cc.doca_cc_client_destroy(client))
while core.doca_ctx_get_state(ctx, state) or state[0]:
    core.doca_pe_progress(pe)
print("nobody answered: state", state[0])
say("destroy", cc.doca_cc_client_destroy(client))
say("destroy again", cc.doca_cc_client_destroy(client))
say("a stale context", core.doca_ctx_start(ctx))
say("the device where a client is wanted", cc.doca_cc_client_destroy(dev))
say("the engine", core.doca_pe_destroy(pe))
say("the engine again", core.doca_pe_destroy(pe))
say("the device", core.doca_dev_close(dev))
