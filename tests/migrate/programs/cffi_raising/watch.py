"""Callbacks that fail: cffi prints what they raise and goes on. Nothing was ever kept with the context."""
import sys

from cffi import FFI

ffi = FFI()
ffi.cdef("""
typedef int doca_error_t;
typedef void (*state_cb)(uint64_t, void *, int, int);
doca_error_t doca_devinfo_create_list(void ***, uint32_t *);
doca_error_t doca_devinfo_destroy_list(void **);
doca_error_t doca_devinfo_is_equal_pci_addr(void *, const char *, uint8_t *);
doca_error_t doca_devinfo_rep_create_list(void *, int, void ***, uint32_t *);
doca_error_t doca_devinfo_rep_destroy_list(void **);
doca_error_t doca_dev_open(void *, void **);
doca_error_t doca_dev_close(void *);
doca_error_t doca_dev_rep_open(void *, void **);
doca_error_t doca_dev_rep_close(void *);
doca_error_t doca_pe_create(void **);
doca_error_t doca_pe_destroy(void *);
uint8_t doca_pe_progress(void *);
doca_error_t doca_pe_connect_ctx(void *, void *);
doca_error_t doca_ctx_start(void *);
doca_error_t doca_ctx_stop(void *);
doca_error_t doca_ctx_get_state(void *, int *);
doca_error_t doca_ctx_set_state_changed_cb(void *, state_cb);
doca_error_t doca_cc_server_create(void *, void *, const char *, void **);
doca_error_t doca_cc_server_destroy(void *);
void *doca_cc_server_as_ctx(void *);
doca_error_t doca_cc_server_event_msg_recv_register(void *, void (*)(void *, uint8_t *, uint32_t, void *));
doca_error_t doca_cc_server_event_connection_register(void *, void (*)(void *, void *, uint8_t),
                                                      void (*)(void *, void *, uint8_t));
doca_error_t doca_cc_server_task_send_set_conf(void *, void (*)(void *, uint64_t, uint64_t),
                                               void (*)(void *, uint64_t, uint64_t), uint32_t);
""")
core, cc = ffi.dlopen("libdoca_common.so.2"), ffi.dlopen("libdoca_cc.so.2")
seen = []


@ffi.callback("state_cb")
def changed(user_data, ctx, old, new):
    seen.append(user_data)
    if new == 2:
        raise ValueError("nobody catches this")
    sys.exit(7)


@ffi.callback("void(void *, uint8_t *, uint32_t, void *)")
def received(event, data, size, connection):
    seen.append(ffi.buffer(data, size)[:])


@ffi.callback("void(void *, void *, uint8_t)")
def connected(event, connection, ok):
    seen.append(ok)


@ffi.callback("void(void *, uint64_t, uint64_t)")
def sent(task, task_data, ctx_data):
    seen.append(task_data)


def new(function, *args):
    cell = ffi.new("void **")
    assert function(*args, cell) == 0
    return cell[0]


infos, n, equal = ffi.new("void ***"), ffi.new("uint32_t *"), ffi.new("uint8_t *")
assert core.doca_devinfo_create_list(infos, n) == 0
for at in range(n[0]):
    assert core.doca_devinfo_is_equal_pci_addr(infos[0][at], b"03:00.0", equal) == 0
    if equal[0]:
        dev = new(core.doca_dev_open, infos[0][at])
assert core.doca_devinfo_destroy_list(infos[0]) == 0
assert core.doca_devinfo_rep_create_list(dev, 0, infos, n) == 0
rep = new(core.doca_dev_rep_open, infos[0][0])
assert core.doca_devinfo_rep_destroy_list(infos[0]) == 0

pe, server = new(core.doca_pe_create), new(cc.doca_cc_server_create, dev, rep, b"raising")
ctx = cc.doca_cc_server_as_ctx(server)
assert core.doca_pe_connect_ctx(pe, ctx) == 0
assert core.doca_ctx_set_state_changed_cb(ctx, changed) == 0
assert cc.doca_cc_server_event_msg_recv_register(server, received) == 0
assert cc.doca_cc_server_event_connection_register(server, connected, connected) == 0
assert cc.doca_cc_server_task_send_set_conf(server, sent, sent, 4) == 0
print("start", core.doca_ctx_start(ctx))
core.doca_pe_progress(pe)
print("kept", sorted(set(seen)), "after", len(seen), "calls")
state = ffi.new("int *")
print("stop", core.doca_ctx_stop(ctx), core.doca_ctx_get_state(ctx, state), "in state", state[0])
core.doca_pe_progress(pe)
print("kept", sorted(set(seen)))
print("end", cc.doca_cc_server_destroy(server), core.doca_pe_destroy(pe), core.doca_dev_rep_close(rep),
      core.doca_dev_close(dev))
