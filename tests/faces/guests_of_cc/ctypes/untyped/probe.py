"""Quick and dirty: no argtypes anywhere, handles are c_void_p, functions are taken by item. Both ends, one engine."""
import ctypes as c

D, C = c.CDLL("libdoca_common.so.2"), c.CDLL("libdoca_cc.so.2")
for lib, name in ((C, "doca_cc_server_as_ctx"), (C, "doca_cc_client_as_ctx"), (C, "doca_cc_task_send_as_task"),
                  (C, "doca_cc_server_get_server_ctx"), (C, "doca_cc_client_get_client_ctx")):
    function = lib[name]  # another object each time
    function.restype = c.c_void_p
    setattr(lib, name, function)
D.doca_error_get_name.restype = c.c_char_p
D.doca_task_free.restype = None
D.doca_pe_progress.restype = c.c_uint8


def out(function, *args, kind=c.c_void_p):
    cell = kind()
    rc = function(*args, c.byref(cell))
    assert rc == 0, D.doca_error_get_name(rc)
    return cell


def listed(create, destroy, *head):
    array, n = c.POINTER(c.c_void_p)(), c.c_uint32()
    assert create(*head, c.byref(array), c.byref(n)) == 0
    return [c.c_void_p(array[i]) for i in range(n.value)], lambda: destroy(array)


def device(pci):
    infos, done = listed(D.doca_devinfo_create_list, D.doca_devinfo_destroy_list)
    chosen = [info for info in infos if out(D.doca_devinfo_is_equal_pci_addr, info, pci, kind=c.c_uint8).value]
    dev = out(D.doca_dev_open, chosen[0])
    done()
    return dev


task_cb = c.CFUNCTYPE(None, c.c_void_p, c.c_uint64, c.c_uint64)
recv_cb = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p, c.c_uint32, c.c_void_p)
conn_cb = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p, c.c_uint8)
log = []


def generic(task):
    return c.c_void_p(C.doca_cc_task_send_as_task(c.c_void_p(task)))


@task_cb
def done(task, data, ctx):
    log.append(("done", data))
    D.doca_task_free(generic(task))


@recv_cb
def received(event, data, size, connection):
    peer = c.c_void_p(connection)
    owner = C.doca_cc_server_get_server_ctx(peer), C.doca_cc_client_get_client_ctx(peer)
    log.append(("received", c.string_at(data, size), owner == (server.value, None)))


@conn_cb
def changed(event, connection, ok):
    log.append(("connection", ok))


pe = out(D.doca_pe_create)
dpu, host = device(b"03:00.0"), device(b"b1:00.0")
reps, free_reps = listed(D.doca_devinfo_rep_create_list, D.doca_devinfo_rep_destroy_list, dpu, 0)
rep = out(D.doca_dev_rep_open, reps[0])
free_reps()
server = out(C.doca_cc_server_create, dpu, rep, b"probe")
client = out(C.doca_cc_client_create, host, b"probe")
sctx, cctx = c.c_void_p(C.doca_cc_server_as_ctx(server)), c.c_void_p(C.doca_cc_client_as_ctx(client))
for end, ctx, side in ((server, sctx, "server"), (client, cctx, "client")):
    assert C[f"doca_cc_{side}_task_send_set_conf"](end, done, done, 8) == 0
    assert C[f"doca_cc_{side}_event_msg_recv_register"](end, received) == 0
    assert C[f"doca_cc_{side}_set_max_msg_size"](end, 256) == 0
    assert D.doca_pe_connect_ctx(pe, ctx) == 0
assert C.doca_cc_server_event_connection_register(server, changed, changed) == 0
print("start", D.doca_ctx_start(sctx), D.doca_ctx_start(cctx))
while out(D.doca_ctx_get_state, cctx, kind=c.c_int).value != 2 or not log:
    D.doca_pe_progress(pe)
peer = out(C.doca_cc_client_get_connection, client)
for size in (0, 256, 257):
    task = c.c_void_p()
    rc = C.doca_cc_client_task_send_alloc_init(client, peer, b"m" * size, size, c.byref(task))
    if rc:
        print(size, "bytes:", D.doca_error_get_name(rc).decode())
        continue
    D.doca_task_set_user_data(generic(task.value), c.c_uint64(size + 1))
    assert D.doca_task_submit(generic(task.value)) == 0
while len(log) < 5:
    D.doca_pe_progress(pe)
print(sorted((entry[0], len(entry[1]) if entry[0] == "received" else entry[1], *entry[2:]) for entry in log))
for ctx in (cctx, sctx):
    D.doca_ctx_stop(ctx)
    while out(D.doca_ctx_get_state, ctx, kind=c.c_int).value:
        D.doca_pe_progress(pe)
print([f(h) for f, h in ((C.doca_cc_client_destroy, client), (C.doca_cc_server_destroy, server),
                         (D.doca_pe_destroy, pe), (D.doca_dev_rep_close, rep), (D.doca_dev_close, dpu),
                         (D.doca_dev_close, host))])
