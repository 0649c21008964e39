"""Both ends on one engine; what the counters of a connection say after every batch."""
import sys

import build_cc

folder = build_cc.build()
sys.path.insert(0, folder.name)
sys.dont_write_bytecode = True
from _cc import ffi  # noqa: E402

common, lib = ffi.dlopen("libdoca_common.so.2"), ffi.dlopen("libdoca_cc.so.2")
got, ups, downs = [], [], []


@ffi.callback("done_f")
def done(task, *_):
    common.doca_task_free(lib.doca_cc_task_send_as_task(task))


@ffi.callback("recv_f")
def receive(event, data, size, connection):
    got.append((size, connection))


@ffi.callback("conn_f")
def up(event, connection, ok):
    ups.append(connection)


@ffi.callback("conn_f")
def down(event, connection, ok):
    downs.append(connection)


def expect(rc, code="DOCA_SUCCESS"):
    assert ffi.string(ffi.cast("doca_error_t", rc)) == code, rc


def get(ctype, function, *args):
    cell = ffi.new(ctype)
    expect(function(*args, cell))
    return cell[0]


def device(pci):
    n, infos = ffi.new("uint32_t *"), ffi.new("struct doca_devinfo ***")
    expect(common.doca_devinfo_create_list(infos, n))
    info = next(info for info in infos[0][0:n[0]]
                if get("uint8_t *", common.doca_devinfo_is_equal_pci_addr, info, pci))
    dev = get("dev_p *", common.doca_dev_open, info)
    expect(common.doca_devinfo_destroy_list(infos[0]))
    return dev


def until(condition):
    while not condition():
        common.doca_pe_progress(pe)


def counters(connection):
    expect(lib.doca_cc_connection_update_info(connection))
    names = ("SENT_MESSAGES", "SENT_BYTES", "RECV_MESSAGES", "RECV_BYTES")
    return [get("uint64_t *", lib.doca_cc_connection_get_counter, connection, getattr(lib, "COUNTER_" + name))
            for name in names]


dpu, host, pe = device(b"03:00.0"), device(b"b1:00.0"), get("pe_p *", common.doca_pe_create)
n, reps = ffi.new("uint32_t *"), ffi.new("struct doca_devinfo_rep ***")
expect(common.doca_devinfo_rep_create_list(dpu, 2, reps, n))
rep = get("struct doca_dev_rep **", common.doca_dev_rep_open, reps[0][0])
expect(common.doca_devinfo_rep_destroy_list(reps[0]))
server = get("server_p *", lib.doca_cc_server_create, dpu, rep, b"counted")
client = get("client_p *", lib.doca_cc_client_create, host, b"counted")
print("the server's device:", get("dev_p *", lib.doca_cc_server_get_device, server) == dpu)
sctx, cctx = lib.doca_cc_server_as_ctx(server), lib.doca_cc_client_as_ctx(client)
expect(lib.doca_cc_server_task_send_set_conf(server, done, done, 2))
expect(lib.doca_cc_server_event_msg_recv_register(server, receive))
expect(lib.doca_cc_server_event_connection_register(server, up, down))
expect(lib.doca_cc_client_task_send_set_conf(client, done, done, 2))
expect(lib.doca_cc_client_event_msg_recv_register(client, receive))
for ctx in (sctx, cctx):
    expect(common.doca_pe_connect_ctx(pe, ctx))
expect(common.doca_ctx_start(sctx))
expect(common.doca_ctx_start(cctx), "DOCA_ERROR_IN_PROGRESS")
until(lambda: get("int *", common.doca_ctx_get_state, cctx) == 2 and ups)
here = get("connection_p *", lib.doca_cc_client_get_connection, client)
for batch in (1, 2):
    for size in (10, 20):
        task = get("send_p *", lib.doca_cc_client_task_send_alloc_init, client, here, bytes(size), size)
        expect(common.doca_task_submit(lib.doca_cc_task_send_as_task(task)))
    until(lambda: len(got) == 2 * batch)
    print("batch", batch, [size for size, _ in got[-2:]], "client", counters(here), "server", counters(ups[0]))
print("one peer:", {connection for _, connection in got} == {ups[0]}, ups[0] != here)
rc = lib.doca_cc_connection_get_counter(here, 9, ffi.new("uint64_t *"))
print("a counter that is none:", ffi.string(ffi.cast("doca_error_t", rc)))
expect(common.doca_ctx_stop(cctx), "DOCA_ERROR_IN_PROGRESS")
until(lambda: get("int *", common.doca_ctx_get_state, cctx) == 0 and downs)
print("the same left:", downs == ups)
rc = common.doca_ctx_stop(sctx)
until(lambda: get("int *", common.doca_ctx_get_state, sctx) == 0)
for function, handle in ((lib.doca_cc_server_destroy, server), (lib.doca_cc_client_destroy, client),
                         (common.doca_pe_destroy, pe), (common.doca_dev_rep_close, rep),
                         (common.doca_dev_close, dpu), (common.doca_dev_close, host)):
    expect(function(handle))
folder.cleanup()
