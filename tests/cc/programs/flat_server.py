"""A server in the C names of doca_cc, shape of DOCA 2.6: answers one message, ends when the client has gone."""

from doca_cc import *

gone = []


def check(rc, what):
    if rc != DOCA_SUCCESS:
        raise SystemExit(f"{what}: {doca_error_get_name(rc)}")


def sent(task, task_user_data, ctx_user_data):
    print("sent", task_user_data, ctx_user_data)
    doca_task_free(doca_cc_task_send_as_task(task))


def failed(task, task_user_data, ctx_user_data):
    print("failed", doca_error_get_name(doca_task_get_status(doca_cc_task_send_as_task(task))))
    doca_task_free(doca_cc_task_send_as_task(task))


def received(event, recv_buffer, msg_len, connection):
    print("received", msg_len, recv_buffer)
    server = doca_cc_server_get_server_ctx(connection)
    rc, task = doca_cc_server_task_send_alloc_init(server, connection, b"answer...", 6)
    check(rc, "alloc")
    doca_task_set_user_data(doca_cc_task_send_as_task(task), "first")
    check(doca_task_submit(doca_cc_task_send_as_task(task)), "submit")


def up(event, connection, change_successful):
    print("up", bool(change_successful))
    check(doca_cc_connection_set_user_data(connection, "the client"), "set_user_data")


def down(event, connection, change_successful):
    print("down", doca_cc_connection_get_user_data(connection))
    gone.append(connection)


def opened(address):
    rc, devs, count = doca_devinfo_create_list()
    check(rc, "create_list")
    for info in devs[:count]:
        if doca_devinfo_is_equal_pci_addr(info, address) == (DOCA_SUCCESS, 1):
            rc, dev = doca_dev_open(info)
            check(rc, "open")
            doca_devinfo_destroy_list(devs)
            return dev
    raise SystemExit("no device")


dev = opened("03:00.0")
rc, reps, count = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET)
rc, rep = doca_dev_rep_open(reps[0])
check(rc, "rep open")
doca_devinfo_rep_destroy_list(reps)
check(doca_cc_cap_server_is_supported(doca_dev_as_devinfo(dev)), "cap")
rc, pe = doca_pe_create()
check(rc, "pe")
rc, server = doca_cc_server_create(dev, rep, "svc")
check(rc, "server")
check(doca_cc_server_set_max_msg_size(server, 4080), "size")
check(doca_cc_server_set_recv_queue_size(server, 16), "queue")
check(doca_cc_server_task_send_set_conf(server, sent, failed, 16), "conf")
check(doca_cc_server_event_msg_recv_register(server, received), "recv")
check(doca_cc_server_event_connection_register(server, up, down), "connection")
ctx = doca_cc_server_as_ctx(server)
check(doca_ctx_set_user_data(ctx, "the server"), "user data")
check(doca_pe_connect_ctx(pe, ctx), "connect_ctx")
check(doca_ctx_start(ctx), "start")
print("listening", flush=True)
while not gone:
    doca_pe_progress(pe)
rc = doca_ctx_stop(ctx)
while doca_ctx_get_state(ctx) != (DOCA_SUCCESS, DOCA_CTX_STATE_IDLE):
    doca_pe_progress(pe)
check(doca_cc_server_destroy(server), "destroy")
check(doca_pe_destroy(pe), "pe destroy")
check(doca_dev_rep_close(rep), "rep close")
check(doca_dev_close(dev), "close")
print("end")
