"""cc_ctrl_path_client in the shape of DOCA 2.5."""

import sys

from common import *

SERVER_NAME = "ctrl_path_c"


def client_send_done(task, task_user_data, ctx_user_data):
    print("Client task sent successfully")
    doca_task_free(doca_cc_send_task_as_task(task))


def client_send_err(task, task_user_data, ctx_user_data):
    ctx_user_data.result = doca_task_get_status(doca_cc_send_task_as_task(task))
    doca_task_free(doca_cc_send_task_as_task(task))
    doca_ctx_stop(ctx_user_data.ctx)


def client_recv(event, recv_buffer, msg_len, cc_connection):
    cc_client = doca_cc_client_get_client_ctx(cc_connection)
    result, objects = doca_ctx_get_user_data(doca_cc_client_as_ctx(cc_client))
    print("Message received: '%s', %d bytes" % (recv_buffer.decode(), msg_len))
    objects.result = result
    print("stop", doca_error_get_name(doca_ctx_stop(doca_cc_client_as_ctx(cc_client))))


def client_state(user_data, ctx, prev_state, next_state):
    objects = user_data
    if next_state == DOCA_CTX_STATE_STARTING:
        print("starting")
    elif next_state == DOCA_CTX_STATE_RUNNING:
        result, connection = doca_cc_client_get_connection(objects.client)
        result, task = doca_cc_client_send_task_alloc_init(objects.client, connection, objects.text + b"??", 11)
        if result != DOCA_SUCCESS:
            DOCA_LOG_ERR("alloc", result)
            return
        print("submit", doca_task_submit(doca_cc_send_task_as_task(task)))
    elif next_state == DOCA_CTX_STATE_STOPPING:
        print("stopping")
    else:
        print("idle")
        objects.finish = True


def start_client(objects):
    result, objects.pe = doca_pe_create()
    result, objects.client = doca_cc_client_create(objects.hw_dev, SERVER_NAME)
    if result != DOCA_SUCCESS:
        return result
    objects.ctx = doca_cc_client_as_ctx(objects.client)
    for step in (
        doca_pe_connect_ctx(objects.pe, objects.ctx),
        doca_ctx_set_state_changed_cb(objects.ctx, client_state),
        doca_cc_client_send_task_set_conf(objects.client, client_send_done, client_send_err, CC_SEND_TASK_NUM),
        doca_cc_client_event_msg_recv_register(objects.client, client_recv),
        doca_ctx_set_user_data(objects.ctx, objects),
    ):
        if step != DOCA_SUCCESS:
            return step
    return doca_ctx_start(objects.ctx)


def main():
    objects = ctrl_path_objects()
    objects.text = b"client asks"
    result, objects.hw_dev = open_doca_device_with_pci("b1:00.0")
    if result != DOCA_SUCCESS:
        return 1
    result = start_client(objects)
    if result != DOCA_ERROR_IN_PROGRESS:
        DOCA_LOG_ERR("start", result)
        return 1
    while not objects.finish:
        doca_pe_progress(objects.pe)
    result = doca_cc_client_destroy(objects.client)
    print("destroy", result, doca_pe_destroy(objects.pe), doca_dev_close(objects.hw_dev))
    return objects.result


if __name__ == "__main__":
    sys.exit(main())
