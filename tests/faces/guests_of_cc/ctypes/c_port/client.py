import sys

from cc25 import *

result, dev = open_doca_device_with_pci(b"b1:00.1")
if result != DOCA_SUCCESS:
    DOCA_LOG_ERR("device", result)
    sys.exit(1)
pe, client, connection = c_void_p(), c_void_p(), c_void_p()
common.doca_pe_create(byref(pe))
libcc.doca_cc_client_create(dev, b"sample", byref(client))
ctx = libcc.doca_cc_client_as_ctx(client)
common.doca_pe_connect_ctx(pe, ctx)
states = []


@send_task_comp_handler
def sent(task, task_user_data, ctx_user_data):
    print("Client task sent successfully")
    common.doca_task_free(libcc.doca_cc_send_task_as_task(task))


@event_msg_recv_cb_t
def received(event, recv_buffer, msg_len, cc_connection):
    print("Message received:", bytes(recv_buffer[:msg_len]).decode(), cc_connection == connection.value)
    common.doca_ctx_stop(ctx)


@ctx_state_changed_callback_t
def changed(user_data, context, prev_state, next_state):
    states.append(next_state)
    if next_state == RUNNING:
        libcc.doca_cc_client_get_connection(client, byref(connection))
        send(libcc.doca_cc_client_send_task_alloc_init, client, connection, b"x" * 513)
        send(libcc.doca_cc_client_send_task_alloc_init, client, connection, b"Message from the client")


libcc.doca_cc_client_send_task_set_conf(client, sent, sent, 0)  # one task
libcc.doca_cc_client_event_msg_recv_register(client, received)
libcc.doca_cc_client_set_max_msg_size(client, 512)
common.doca_ctx_set_state_changed_cb(ctx, changed)
result = common.doca_ctx_start(ctx)
assert result == DOCA_ERROR_IN_PROGRESS, result
while not states or states[-1] != IDLE:
    common.doca_pe_progress(pe)
print(states)
sys.exit(libcc.doca_cc_client_destroy(client) + common.doca_pe_destroy(pe) + common.doca_dev_close(dev))
