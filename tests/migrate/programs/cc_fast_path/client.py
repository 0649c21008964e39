"""The host's end of the fast path."""

import doca_cc as cc
from lane import Lane


def main():
    dev = cc.open_device("b1:00.0")
    pe = cc.ProgressEngine()
    client = cc.Client(dev, "fast")
    pe.connect_ctx(client.as_ctx())
    client.task_send_set_conf(lambda task, *data: task.as_task().free(), lambda task, *data: task.as_task().free(), 1)
    client.event_msg_recv_register(lambda *message: None)
    lane = Lane(client, dev, pe, b"from the host")
    client.as_ctx().start()
    while client.as_ctx().get_state() == cc.DOCA_CTX_STATE_STARTING:
        pe.progress()
    lane.open(client.get_connection())
    lane.send()
    while not (lane.sent and lane.received):
        pe.progress()
    lane.close()
    while lane.remote is not None:
        pe.progress()
    client.as_ctx().stop()
    while client.as_ctx().get_state() != cc.DOCA_CTX_STATE_IDLE:
        pe.progress()
    client.destroy()
    pe.destroy()
    dev.close()


main()
