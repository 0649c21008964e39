import sys
from types import SimpleNamespace

from cc_sample import *

objects = SimpleNamespace(pe=None, client=None, ctx=None, text=b"Message from the client", finish=False, result=0)


@ffi.callback("comp_handler")
def send_task_completion_callback(task, task_user_data, ctx_user_data):
    print("Client task sent successfully")
    doca.doca_task_free(doca_cc.doca_cc_send_task_as_task(task))


@ffi.callback("comp_handler")
def send_task_completion_err_callback(task, task_user_data, ctx_user_data):
    objects.result = doca.doca_task_get_status(doca_cc.doca_cc_send_task_as_task(task))
    doca.doca_task_free(doca_cc.doca_cc_send_task_as_task(task))
    doca.doca_ctx_stop(objects.ctx)


@ffi.callback("msg_recv")
def message_recv_callback(event, recv_buffer, msg_len, cc_connection):
    print("Message received: '%s'" % bytes(recv_buffer[0:msg_len]).decode())
    doca.doca_ctx_stop(objects.ctx)


@ffi.callback("state_changed")
def state_changed_callback(user_data, ctx, prev_state, next_state):
    if next_state == DOCA_CTX_STATE_IDLE:
        print("CC client context has been stopped")
        objects.finish = True
    elif next_state == DOCA_CTX_STATE_STARTING:
        print("CC client context entered into starting state. Waiting for connection establishment")
    elif next_state == DOCA_CTX_STATE_RUNNING:
        print("CC client context is running. Sending message to server")
        connection, task = ffi.new("struct doca_cc_connection **"), ffi.new("struct doca_cc_send_task **")
        doca_cc.doca_cc_client_get_connection(objects.client, connection)
        objects.result = doca_cc.doca_cc_client_send_task_alloc_init(objects.client, connection[0], objects.text,
                                                                     len(objects.text), task)
        if objects.result == DOCA_SUCCESS:
            objects.result = doca.doca_task_submit(doca_cc.doca_cc_send_task_as_task(task[0]))
        if objects.result != DOCA_SUCCESS:
            doca.doca_ctx_stop(objects.ctx)
    else:
        print("CC client context entered into stopping state")


result, hw_dev = open_doca_device_with_pci(b"b1:00.0")
assert result == DOCA_SUCCESS
pe, client = ffi.new("struct doca_pe **"), ffi.new("struct doca_cc_client **")
assert doca.doca_pe_create(pe) == DOCA_SUCCESS
assert doca_cc.doca_cc_client_create(hw_dev, SERVER_NAME, client) == DOCA_SUCCESS
objects.pe, objects.client = pe[0], client[0]
objects.ctx = doca_cc.doca_cc_client_as_ctx(client[0])
assert doca.doca_pe_connect_ctx(pe[0], objects.ctx) == DOCA_SUCCESS
assert doca.doca_ctx_set_state_changed_cb(objects.ctx, state_changed_callback) == DOCA_SUCCESS
assert doca_cc.doca_cc_client_send_task_set_conf(
    client[0], send_task_completion_callback, send_task_completion_err_callback, CC_LOG_SEND_TASK_NUM) == DOCA_SUCCESS
assert doca_cc.doca_cc_client_event_msg_recv_register(client[0], message_recv_callback) == DOCA_SUCCESS
assert doca_cc.doca_cc_client_set_max_msg_size(client[0], CC_MAX_MSG_SIZE) == DOCA_SUCCESS
result = doca.doca_ctx_start(objects.ctx)
if result != DOCA_ERROR_IN_PROGRESS:
    print("Failed to start context:", doca_error_get_descr(result))
    sys.exit(1)
while not objects.finish:
    doca.doca_pe_progress(pe[0])
doca_cc.doca_cc_client_destroy(client[0])
doca.doca_pe_destroy(pe[0])
doca.doca_dev_close(hw_dev)
sys.exit(objects.result)
