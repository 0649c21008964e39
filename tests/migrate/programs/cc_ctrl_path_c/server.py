"""cc_ctrl_path_server in the shape of DOCA 2.5."""

import sys

from common import *

SERVER_NAME = "ctrl_path_c"


def server_send_task_completion_callback(task, task_user_data, ctx_user_data):
    sample_objects = ctx_user_data
    print("Server task sent successfully")
    sample_objects.result = DOCA_SUCCESS
    doca_task_free(doca_cc_send_task_as_task(task))


def server_send_task_completion_err_callback(task, task_user_data, ctx_user_data):
    sample_objects = ctx_user_data
    sample_objects.result = doca_task_get_status(doca_cc_send_task_as_task(task))
    DOCA_LOG_ERR("send", sample_objects.result)
    doca_task_free(doca_cc_send_task_as_task(task))


def server_message_recv_callback(event, recv_buffer, msg_len, cc_connection):
    cc_server = doca_cc_server_get_server_ctx(cc_connection)
    result, sample_objects = doca_ctx_get_user_data(doca_cc_server_as_ctx(cc_server))
    if result != DOCA_SUCCESS:
        DOCA_LOG_ERR("user data", result)
        return
    print("Message received: '%s'" % recv_buffer.decode())
    result, task = doca_cc_server_send_task_alloc_init(
        cc_server, cc_connection, sample_objects.text, len(sample_objects.text)
    )
    if result != DOCA_SUCCESS:
        DOCA_LOG_ERR("alloc", result)
        return
    result = doca_task_submit(doca_cc_send_task_as_task(task))
    if result != DOCA_SUCCESS:
        DOCA_LOG_ERR("submit", result)
        doca_task_free(doca_cc_send_task_as_task(task))


def server_connection_event_callback(event, cc_connection, change_success):
    print("connection", change_success)


def server_disconnection_event_callback(event, cc_connection, change_success):
    cc_server = doca_cc_server_get_server_ctx(cc_connection)
    result, sample_objects = doca_ctx_get_user_data(doca_cc_server_as_ctx(cc_server))
    print("disconnection", change_success)
    sample_objects.finish = True


def init_server(objects):
    result, objects.pe = doca_pe_create()
    if result != DOCA_SUCCESS:
        return result
    result, objects.server = doca_cc_server_create(objects.hw_dev, objects.rep_dev, SERVER_NAME)
    if result != DOCA_SUCCESS:
        return result
    result = doca_cc_server_set_max_msg_size(objects.server, CC_MAX_MSG_SIZE)
    if result != DOCA_SUCCESS:
        return result
    result = doca_cc_server_set_recv_queue_size(objects.server, CC_REC_QUEUE_SIZE)
    if result != DOCA_SUCCESS:
        return result
    objects.ctx = doca_cc_server_as_ctx(objects.server)
    result = doca_pe_connect_ctx(objects.pe, objects.ctx)
    if result != DOCA_SUCCESS:
        return result
    result = doca_cc_server_send_task_set_conf(
        objects.server,
        server_send_task_completion_callback,
        server_send_task_completion_err_callback,
        CC_SEND_TASK_NUM,
    )
    if result != DOCA_SUCCESS:
        return result
    result = doca_cc_server_event_msg_recv_register(objects.server, server_message_recv_callback)
    if result != DOCA_SUCCESS:
        return result
    result = doca_cc_server_event_connection_register(
        objects.server, server_connection_event_callback, server_disconnection_event_callback
    )
    if result != DOCA_SUCCESS:
        return result
    result = doca_ctx_set_user_data(objects.ctx, objects)
    if result != DOCA_SUCCESS:
        return result
    return doca_ctx_start(objects.ctx)


def main():
    objects = ctrl_path_objects()
    objects.text = b"server says so"
    result, objects.hw_dev = open_doca_device_with_pci("03:00.0")
    if result != DOCA_SUCCESS:
        return 1
    result, reps, n = doca_devinfo_rep_create_list(objects.hw_dev, DOCA_DEVINFO_REP_FILTER_NET)
    result, objects.rep_dev = doca_dev_rep_open(reps[0])
    doca_devinfo_rep_destroy_list(reps)
    result = init_server(objects)
    if result != DOCA_SUCCESS:
        DOCA_LOG_ERR("init", result)
        return 1
    print("listening", flush=True)
    while not objects.finish:
        doca_pe_progress(objects.pe)
    clean_comm_channel(objects.pe, objects.ctx, doca_cc_server_destroy, objects.server)
    doca_dev_rep_close(objects.rep_dev)
    doca_dev_close(objects.hw_dev)
    print("result", objects.result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
