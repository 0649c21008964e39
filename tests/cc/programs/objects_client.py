"""A client in the objects of doca_cc, shape of DOCA 2.6: sends one message, prints the answer."""

import doca_cc as cc

answers = []


def sent(task, task_user_data, ctx_user_data):
    print("sent", task_user_data, ctx_user_data)
    task.as_task().free()


def failed(task, task_user_data, ctx_user_data):
    print("failed", task.as_task().get_status())
    task.as_task().free()


def received(event, recv_buffer, msg_len, connection):
    print("received", msg_len, recv_buffer)
    answers.append(recv_buffer)


def changed(user_data, ctx, prev_state, next_state):
    print("state", user_data, int(prev_state), int(next_state))
    if next_state == cc.DOCA_CTX_STATE_RUNNING:
        connection = client.get_connection()
        task = client.task_send_alloc_init(connection, b"question")
        task.as_task().set_user_data(7)
        task.as_task().submit()


dev = cc.open_device("b1:00.0")
pe = cc.ProgressEngine()
client = cc.Client(dev, "svc")
client.set_max_msg_size(4080)
client.task_send_set_conf(sent, failed, 16)
client.event_msg_recv_register(received)
ctx = client.as_ctx()
ctx.set_user_data("the client")
ctx.set_state_changed_cb(changed)
pe.connect_ctx(ctx)
ctx.start()
while not answers or ctx.get_num_inflight_tasks():
    pe.progress()
connection = client.get_connection()
connection.update_info()
print("counters", connection.get_counter(cc.DOCA_CC_COUNTER_SENT_BYTES), connection.get_counter(4))
ctx.stop()
while ctx.get_state() != cc.DOCA_CTX_STATE_IDLE:
    pe.progress()
client.destroy()
pe.destroy()
dev.close()
print("end")
