#!/usr/bin/env python
# message-size sweep, DOCA 2.5 names, both ranks in this process (rank 0 = DPU, rank 1 = host)
import doca_cc as d

LOG_TASKS = 3
SIZES = [1, 8, 64, 512, 4080]
stats = {"sent": 0, "got": {}, "failed": 0}


def check(rc, what, allow=()):
    if rc != d.DOCA_SUCCESS and rc not in allow:
        raise RuntimeError("%s -> %s" % (what, d.doca_error_get_name(rc)))
    return rc


def outputs(result, what):
    check(result[0], what)
    return result[1] if len(result) == 2 else result[1:]


def dev_at(bdf):
    infos, n = outputs(d.doca_devinfo_create_list(), "list")
    for info in infos[:n]:
        if outputs(d.doca_devinfo_is_equal_pci_addr(info, bdf), "equal"):
            return outputs(d.doca_dev_open(info), "open")
    raise LookupError(bdf)


def on_sent(task, task_data, ctx_data):
    stats["sent"] += 1
    d.doca_task_free(d.doca_cc_send_task_as_task(task))


def on_failed(task, task_data, ctx_data):
    stats["failed"] += 1
    d.doca_task_free(d.doca_cc_send_task_as_task(task))


def on_echo(event, data, size, connection):
    stats["got"][size] = stats["got"].get(size, 0) + (data == bytes(size))


def on_request(event, data, size, connection):
    server = d.doca_cc_server_get_server_ctx(connection)
    rc, task = d.doca_cc_server_send_task_alloc_init(server, connection, data, size)
    if rc == d.DOCA_ERROR_NO_MEMORY:
        late.append((connection, data))
        return
    check(rc, "answer")
    check(d.doca_task_submit(d.doca_cc_send_task_as_task(task)), "submit")


late = []
connections = []
dpu, host = dev_at("03:00.0"), dev_at("b1:00.0")
reps, n = outputs(d.doca_devinfo_rep_create_list(dpu, d.DOCA_DEVINFO_REP_FILTER_NET), "reps")
rep = outputs(d.doca_dev_rep_open(reps[0]), "rep")
pes = [outputs(d.doca_pe_create(), "pe") for _ in range(2)]
server = outputs(d.doca_cc_server_create(dpu, rep, "sweep"), "server")
client = outputs(d.doca_cc_client_create(host, "sweep"), "client")
ctxs = [d.doca_cc_server_as_ctx(server), d.doca_cc_client_as_ctx(client)]
for pe, ctx in zip(pes, ctxs):
    check(d.doca_pe_connect_ctx(pe, ctx), "pe connect")
check(d.doca_cc_server_send_task_set_conf(server, on_sent, on_failed, LOG_TASKS), "server conf")
check(d.doca_cc_client_send_task_set_conf(client, on_sent, on_failed, LOG_TASKS), "client conf")
check(d.doca_cc_server_event_msg_recv_register(server, on_request), "server recv")
check(d.doca_cc_client_event_msg_recv_register(client, on_echo), "client recv")
check(
    d.doca_cc_server_event_connection_register(
        server, lambda e, c, ok: connections.append(c), lambda e, c, ok: connections.remove(c)
    ),
    "server events",
)
check(d.doca_ctx_start(ctxs[0]), "server start")
print("client start:", d.doca_error_get_name(d.doca_ctx_start(ctxs[1])))
while outputs(d.doca_ctx_get_state(ctxs[1]), "state") != d.DOCA_CTX_STATE_RUNNING:
    for pe in pes:
        d.doca_pe_progress(pe)
peer = outputs(d.doca_cc_client_get_connection(client), "peer")
for size in SIZES:
    for _ in range(1 << LOG_TASKS):
        rc, task = d.doca_cc_client_send_task_alloc_init(client, peer, bytes(size), size)
        check(rc, "alloc")
        check(d.doca_task_submit(d.doca_cc_send_task_as_task(task)), "submit")
    rc, task = d.doca_cc_client_send_task_alloc_init(client, peer, b"", 0) if size == SIZES[0] else (0, None)
    if rc:
        print("one task more:", d.doca_error_get_name(rc))
    while stats["got"].get(size, 0) < 1 << LOG_TASKS or d.doca_ctx_get_num_inflight_tasks(ctxs[1]) != (0, 0):
        for pe in pes:
            d.doca_pe_progress(pe)
        if late:
            connection, data = late.pop(0)
            on_request(None, data, len(data), connection)
for size, count in stats["got"].items():
    print("%5d B x %d" % (size, count))
for ctx in reversed(ctxs):
    check(d.doca_ctx_stop(ctx), "stop", allow=(d.DOCA_ERROR_IN_PROGRESS,))
while any(outputs(d.doca_ctx_get_state(ctx), "state") != d.DOCA_CTX_STATE_IDLE for ctx in ctxs):
    for pe in pes:
        d.doca_pe_progress(pe)
print("sent", stats["sent"], "failed", stats["failed"], "connections", len(connections))
check(d.doca_cc_client_destroy(client), "destroy")
check(d.doca_cc_server_destroy(server), "destroy")
for pe in pes:
    check(d.doca_pe_destroy(pe), "destroy")
check(d.doca_dev_rep_close(rep), "close")
for dev in (dpu, host):
    check(d.doca_dev_close(dev), "close")
