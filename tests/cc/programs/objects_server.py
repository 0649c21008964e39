"""A server in the objects of doca_cc, shape of DOCA 2.6: answers one message, ends when the client has gone."""

import doca_cc as cc

gone = []


def sent(task, task_user_data, ctx_user_data):
    print("sent", task_user_data, ctx_user_data)
    task.as_task().free()


def failed(task, task_user_data, ctx_user_data):
    print("failed", task.as_task().get_status())
    task.as_task().free()


def received(event, recv_buffer, msg_len, connection):
    print("received", msg_len, recv_buffer)
    task = connection.get_server_ctx().task_send_alloc_init(connection, b"answer")
    task.as_task().set_user_data("first")
    task.as_task().submit()


def up(event, connection, change_successful):
    print("up", change_successful)
    connection.set_user_data("the client")


def down(event, connection, change_successful):
    print("down", connection.get_user_data())
    gone.append(connection)


dev = cc.open_device("03:00.0")
rep = dev.open_representor("b1:00.0")
cc.cap_server_is_supported(dev.as_devinfo())
pe = cc.ProgressEngine()
server = cc.Server(dev, rep, "svc")
server.set_max_msg_size(4080)
server.set_recv_queue_size(16)
server.task_send_set_conf(sent, failed, 16)
server.event_msg_recv_register(received)
server.event_connection_register(up, down)
ctx = server.as_ctx()
ctx.set_user_data("the server")
pe.connect_ctx(ctx)
ctx.start()
print("listening", flush=True)
while not gone:
    pe.progress()
ctx.stop()
while ctx.get_state() != cc.DOCA_CTX_STATE_IDLE:
    pe.progress()
server.destroy()
pe.destroy()
rep.close()
dev.close()
print("end")
