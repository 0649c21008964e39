import sys

from cc25 import *


class Objects:
    text, result, finish, received = b"Message from the server", DOCA_SUCCESS, False, 0


objects = Objects()


def send_task_completion_callback(task, task_user_data, ctx_user_data):
    print("sent, context", hex(ctx_user_data.u64))
    common.doca_task_free(libcc.doca_cc_send_task_as_task(task))


def send_task_completion_err_callback(task, task_user_data, ctx_user_data):
    objects.result = common.doca_task_get_status(libcc.doca_cc_send_task_as_task(task))
    common.doca_task_free(libcc.doca_cc_send_task_as_task(task))
    common.doca_ctx_stop(objects.ctx)


def message_recv_callback(event, recv_buffer, msg_len, cc_connection):
    objects.received += 1
    print("Message received:", bytearray(recv_buffer[:msg_len]).decode())
    server = libcc.doca_cc_server_get_server_ctx(cc_connection)
    objects.result = send(libcc.doca_cc_server_send_task_alloc_init, server, cc_connection, objects.text)


def connection_cb(event, cc_connection, change_succesful):
    print("connected:", change_succesful)


def disconnection_cb(event, cc_connection, change_succesful):
    print("disconnected:", change_succesful, "after", objects.received)
    common.doca_ctx_stop(objects.ctx)


def state_changed_cb(user_data, ctx, prev_state, next_state):
    if next_state == IDLE:
        objects.finish = True


def start():
    result, objects.dev = open_doca_device_with_pci(b"03:00.0")
    if result != DOCA_SUCCESS:
        return result
    result, objects.rep = open_doca_device_rep_with_pci(objects.dev, b"b1:00.1")
    if result != DOCA_SUCCESS:
        return result
    objects.pe, objects.server = c_void_p(), c_void_p()
    result = common.doca_pe_create(byref(objects.pe))
    if result != DOCA_SUCCESS:
        return result
    result = libcc.doca_cc_server_create(objects.dev, objects.rep, b"sample", byref(objects.server))
    if result != DOCA_SUCCESS:
        return result
    objects.ctx = libcc.doca_cc_server_as_ctx(objects.server)
    result = common.doca_pe_connect_ctx(objects.pe, objects.ctx)
    if result != DOCA_SUCCESS:
        return result
    objects.cbs = (send_task_comp_handler(send_task_completion_callback),
                   send_task_comp_handler(send_task_completion_err_callback),
                   event_msg_recv_cb_t(message_recv_callback), event_connection_status_changed_cb_t(connection_cb),
                   event_connection_status_changed_cb_t(disconnection_cb),
                   ctx_state_changed_callback_t(state_changed_cb))
    for log_tasks in (14, 13):  # more than there can be, and the most
        result = libcc.doca_cc_server_send_task_set_conf(objects.server, objects.cbs[0], objects.cbs[1], log_tasks)
        if result != DOCA_SUCCESS:
            DOCA_LOG_ERR("2^%d tasks:", result, log_tasks)
    if result != DOCA_SUCCESS:
        return result
    libcc.doca_cc_server_event_msg_recv_register(objects.server, objects.cbs[2])
    libcc.doca_cc_server_event_connection_register(objects.server, objects.cbs[3], objects.cbs[4])
    common.doca_ctx_set_state_changed_cb(objects.ctx, objects.cbs[5])
    common.doca_ctx_set_user_data(objects.ctx, doca_data(0xC0FFEE))
    libcc.doca_cc_server_set_max_msg_size(objects.server, 512)
    size = c_size_t(2**64 - 1)
    libcc.doca_cc_server_get_max_msg_size(objects.server, byref(size))
    print("messages of", size.value)
    return common.doca_ctx_start(objects.ctx)


result = start()
if result != DOCA_SUCCESS:
    DOCA_LOG_ERR("start", result)
    sys.exit(1)
print("listening", flush=True)
while not objects.finish:
    common.doca_pe_progress(objects.pe)
sys.exit(objects.result + libcc.doca_cc_server_destroy(objects.server) + common.doca_pe_destroy(objects.pe)
         + common.doca_dev_rep_close(objects.rep) + common.doca_dev_close(objects.dev))
