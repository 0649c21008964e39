"""The DPU's end of the fast path."""

import doca_cc as cc
from lane import Lane

connections = []
gone = []


def up(event, connection, ok):
    connections.append(connection)


def down(event, connection, ok):
    gone.append(connection)


def ignore(*_):
    pass


def free(task, *_):
    task.as_task().free()


with cc.open_device("03:00.0") as dev, dev.open_representor("b1:00.0") as rep:
    pe = cc.ProgressEngine()
    server = cc.Server(dev, rep, "fast")
    ctx = server.as_ctx()
    pe.connect_ctx(ctx)
    server.task_send_set_conf(free, free, 1)
    server.event_msg_recv_register(ignore)
    server.event_connection_register(up, down)
    lane = Lane(server, dev, pe, b"from the dpu")
    ctx.start()
    print("listening", flush=True)
    while not connections:
        pe.progress()
    lane.open(connections[0])
    lane.send()
    while not (lane.sent and lane.received):
        pe.progress()
    while lane.remote is not None:
        pe.progress()
    lane.close()
    while not gone:
        pe.progress()
    ctx.stop()
    server.destroy()
    pe.destroy()
print("end")
