"""Answers every message with its length and the counters of its connection."""

import struct
import sys

from doca_cc import (
    DOCA_CC_COUNTER_RECV_BYTES,
    DOCA_CC_COUNTER_RECV_MESSAGES,
    InvalidValue,
    Server,
    open_device,
)
from loop import Loop


def main(argv):
    loop, gone = Loop(), []
    device = open_device("03:00.0")
    rep = device.open_representor("b1:00.0")
    server = Server(device, rep, "lengths")

    def received(event, message, size, connection):
        connection.update_info()
        counters = [connection.get_counter(which) for which in (DOCA_CC_COUNTER_RECV_MESSAGES, DOCA_CC_COUNTER_RECV_BYTES)]
        reply = struct.pack("!III", size, *counters)
        server.task_send_alloc_init(connection, reply, len(reply)).as_task().submit()

    def done(task, *_):
        task.as_task().free()

    try:
        server.set_max_msg_size(1 << 40)
    except InvalidValue:
        print("too large")
    server.set_max_msg_size(256)
    server.task_send_set_conf(done, done, 8)
    server.event_msg_recv_register(received)
    server.event_connection_register(lambda event, connection, ok: None, lambda *args: gone.append(args[1]))
    ctx = server.as_ctx()
    loop.engine.connect_ctx(ctx)
    ctx.start()
    print("listening", server.get_max_msg_size(), flush=True)
    loop.run(lambda: gone)
    ctx.stop()
    server.destroy()
    loop.close()
    rep.close()
    device.close()
    print("woken", loop.wakeups > 0)


if __name__ == "__main__":
    main(sys.argv)
