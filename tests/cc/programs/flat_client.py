"""A client in the C names of doca_cc, shape of DOCA 2.6: sends one message, prints the answer."""

from doca_cc import *

answers = []


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
    answers.append(recv_buffer)


def changed(user_data, ctx, prev_state, next_state):
    print("state", user_data, prev_state, next_state)
    if next_state == DOCA_CTX_STATE_RUNNING:
        rc, connection = doca_cc_client_get_connection(client)
        check(rc, "connection")
        rc, task = doca_cc_client_task_send_alloc_init(client, connection, b"question", 8)
        check(rc, "alloc")
        doca_task_set_user_data(doca_cc_task_send_as_task(task), 7)
        check(doca_task_submit(doca_cc_task_send_as_task(task)), "submit")


rc, devs, count = doca_devinfo_create_list()
info = next(i for i in devs if doca_devinfo_is_equal_pci_addr(i, "b1:00.0") == (DOCA_SUCCESS, 1))
rc, dev = doca_dev_open(info)
check(rc, "open")
rc, pe = doca_pe_create()
rc, client = doca_cc_client_create(dev, "svc")
check(rc, "client")
check(doca_cc_client_set_max_msg_size(client, 4080), "size")
check(doca_cc_client_task_send_set_conf(client, sent, failed, 16), "conf")
check(doca_cc_client_event_msg_recv_register(client, received), "recv")
ctx = doca_cc_client_as_ctx(client)
check(doca_ctx_set_user_data(ctx, "the client"), "user data")
check(doca_ctx_set_state_changed_cb(ctx, changed), "state")
check(doca_pe_connect_ctx(pe, ctx), "connect_ctx")
rc = doca_ctx_start(ctx)
if rc != DOCA_ERROR_IN_PROGRESS:
    raise SystemExit(f"start: {rc}")
while not answers or doca_ctx_get_num_inflight_tasks(ctx) != (DOCA_SUCCESS, 0):
    doca_pe_progress(pe)
rc, connection = doca_cc_client_get_connection(client)
check(doca_cc_connection_update_info(connection), "update_info")
rc, sent_bytes = doca_cc_connection_get_counter(connection, DOCA_CC_COUNTER_SENT_BYTES)
rc, recv_bytes = doca_cc_connection_get_counter(connection, DOCA_CC_COUNTER_RECV_BYTES)
print("counters", sent_bytes, recv_bytes)
rc = doca_ctx_stop(ctx)
if rc not in (DOCA_SUCCESS, DOCA_ERROR_IN_PROGRESS):
    raise SystemExit(f"stop: {rc}")
while doca_ctx_get_state(ctx) != (DOCA_SUCCESS, DOCA_CTX_STATE_IDLE):
    doca_pe_progress(pe)
check(doca_cc_client_destroy(client), "destroy")
check(doca_pe_destroy(pe), "pe destroy")
check(doca_dev_close(dev), "close")
print("end")
