import sys
from types import SimpleNamespace

from cc_sample import *

# struct cc_ctrl_path_server_objects
objects = SimpleNamespace(hw_dev=ffi.NULL, rep_dev=ffi.NULL, pe=ffi.NULL, server=ffi.NULL, ctx=ffi.NULL,
                          text=b"Message from the server", connections=0, finish=False, result=DOCA_SUCCESS)


@ffi.callback("comp_handler")
def send_task_completion_callback(task, task_user_data, ctx_user_data):
    objects.result = DOCA_SUCCESS
    print("Server task sent successfully")
    doca.doca_task_free(doca_cc.doca_cc_send_task_as_task(task))


@ffi.callback("comp_handler")
def send_task_completion_err_callback(task, task_user_data, ctx_user_data):
    objects.result = doca.doca_task_get_status(doca_cc.doca_cc_send_task_as_task(task))
    print("Message failed to send with error =", doca_error_get_descr(objects.result))
    doca.doca_task_free(doca_cc.doca_cc_send_task_as_task(task))
    doca.doca_ctx_stop(objects.ctx)


@ffi.callback("msg_recv")
def message_recv_callback(event, recv_buffer, msg_len, cc_connection):
    print("Message received: '%s'" % ffi.buffer(recv_buffer, msg_len)[:].decode())
    cc_server = doca_cc.doca_cc_server_get_server_ctx(cc_connection)
    task = ffi.new("struct doca_cc_send_task **")
    result = doca_cc.doca_cc_server_send_task_alloc_init(cc_server, cc_connection, objects.text, len(objects.text), task)
    if result != DOCA_SUCCESS:
        print("Failed to allocate task:", doca_error_get_descr(result))
        return
    result = doca.doca_task_submit(doca_cc.doca_cc_send_task_as_task(task[0]))
    if result != DOCA_SUCCESS:
        print("Failed to send task:", doca_error_get_descr(result))


@ffi.callback("status_changed")
def connection_callback(event, cc_connection, change_successful):
    objects.connections += 1
    print("connection event:", change_successful)


@ffi.callback("status_changed")
def disconnection_callback(event, cc_connection, change_successful):
    objects.connections -= 1
    print("disconnection event, %d left" % objects.connections)
    if objects.connections == 0:
        doca.doca_ctx_stop(objects.ctx)


@ffi.callback("state_changed")
def state_changed_callback(user_data, ctx, prev_state, next_state):
    print("state", prev_state, "->", next_state, "of", user_data)
    if next_state == DOCA_CTX_STATE_IDLE:
        objects.finish = True


def init_cc_ctrl_path_objects():
    result, objects.hw_dev = open_doca_device_with_pci(b"0000:03:00.0")
    if result != DOCA_SUCCESS:
        return result
    result, objects.rep_dev = open_doca_device_rep_with_pci(objects.hw_dev, 2, b"b1:00.0")
    if result != DOCA_SUCCESS:
        return result
    pe, server = ffi.new("struct doca_pe **"), ffi.new("struct doca_cc_server **")
    result = doca.doca_pe_create(pe)
    if result != DOCA_SUCCESS:
        return result
    objects.pe = pe[0]
    result = doca_cc.doca_cc_server_create(objects.hw_dev, objects.rep_dev, SERVER_NAME, server)
    if result != DOCA_SUCCESS:
        return result
    objects.server, objects.ctx = server[0], doca_cc.doca_cc_server_as_ctx(server[0])
    for call, *args in (
        (doca.doca_pe_connect_ctx, objects.pe, objects.ctx),
        (doca.doca_ctx_set_state_changed_cb, objects.ctx, state_changed_callback),
        (doca_cc.doca_cc_server_send_task_set_conf, objects.server, send_task_completion_callback,
         send_task_completion_err_callback, CC_LOG_SEND_TASK_NUM),
        (doca_cc.doca_cc_server_event_msg_recv_register, objects.server, message_recv_callback),
        (doca_cc.doca_cc_server_event_connection_register, objects.server, connection_callback,
         disconnection_callback),
        (doca_cc.doca_cc_server_set_max_msg_size, objects.server, CC_MAX_MSG_SIZE),
        (doca_cc.doca_cc_server_set_recv_queue_size, objects.server, 10),
        (doca.doca_ctx_set_user_data, objects.ctx, 0xFEDCBA9876543210),
        (doca.doca_ctx_start, objects.ctx),
    ):
        result = call(*args)
        if result != DOCA_SUCCESS:
            return result
    return DOCA_SUCCESS


result = init_cc_ctrl_path_objects()
if result == DOCA_SUCCESS:
    print("listening", flush=True)
    while not objects.finish:
        doca.doca_pe_progress(objects.pe)
    result = objects.result
    doca_cc.doca_cc_server_destroy(objects.server)
    doca.doca_pe_destroy(objects.pe)
    doca.doca_dev_rep_close(objects.rep_dev)
    doca.doca_dev_close(objects.hw_dev)
print("Sample finished:", doca_error_get_descr(result) if result else "success")
sys.exit(0 if result == DOCA_SUCCESS else 1)
