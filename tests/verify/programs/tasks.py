"""A server and its client on two engines of one process, in tasks: texts with numbers, and their echoes."""
import sys
import time

import doca_cc as cc

TEXTS = [b"one", b"two", b"three three", b"four four four"]


class End:
    def __init__(self, name, context):
        self.name = name
        self.context = context
        self.engine = cc.ProgressEngine()
        self.state = cc.DOCA_CTX_STATE_IDLE
        self.sent = self.failed = 0
        self.received = []
        self.engine.connect_ctx(context.as_ctx())
        context.as_ctx().set_user_data(self)
        context.as_ctx().set_state_changed_cb(self.on_state)
        context.task_send_set_conf(self.on_sent, self.on_failed, 8)
        context.event_msg_recv_register(self.on_message)
        context.set_max_msg_size(256)
        context.set_recv_queue_size(16)

    def on_state(self, user_data, ctx, prev_state, next_state):
        self.state = next_state

    def on_sent(self, task, task_user_data, ctx_user_data):
        self.sent += task_user_data
        task.as_task().free()

    def on_failed(self, task, task_user_data, ctx_user_data):
        self.failed += task_user_data
        task.as_task().free()

    def on_message(self, event, recv_buffer, msg_len, connection):
        self.received.append((connection, recv_buffer[:msg_len]))

    def send(self, connection, text, weight):
        while True:
            try:
                task = self.context.task_send_alloc_init(connection, text)
                break
            except cc.NoMemory:
                self.engine.progress()
        task.as_task().set_user_data(weight)
        task.as_task().submit()


def until(condition, *ends):
    deadline = time.monotonic() + 3
    while not condition():
        if not sum(end.engine.progress() for end in ends):
            time.sleep(0.0002)
        if time.monotonic() > deadline:
            sys.exit("nothing comes")


def main():
    dpu, host = cc.open_device("03:00.0"), cc.open_device("b1:00.0")
    rep = dpu.open_representor("b1:00.0")
    server = End("server", cc.Server(dpu, rep, "tasks"))
    joined, left = [], []
    server.context.event_connection_register(
        lambda event, connection, ok: joined.append(connection), lambda event, connection, ok: left.append(connection)
    )
    server.context.as_ctx().start()
    ends = [End(name, cc.Client(host, "tasks")) for name in ("red", "blue")]
    for end in ends:
        end.context.as_ctx().start()
        until(lambda: end.state == cc.DOCA_CTX_STATE_RUNNING, server, end)
    red, blue = ends
    until(lambda: len(joined) == 2, server)

    for number, text in enumerate(TEXTS):
        end = ends[number % 2]
        end.send(end.context.get_connection(), text, number + 1)
        until(lambda: server.received, server, *ends)
        connection, data = server.received.pop()
        server.send(connection, data[::-1], len(data))
        server.send(connection, b"%d" % len(data), 1)
        until(lambda: len(end.received) == 2, server, *ends)
        print(end.name, [data for _, data in end.received])
        end.received.clear()
    until(lambda: server.sent == 8 + sum(map(len, TEXTS)) - 4, server, *ends)
    print("sent", server.sent, red.sent, blue.sent, "failed", server.failed, red.failed, blue.failed)
    print("limits", red.context.get_max_msg_size(), red.context.get_recv_queue_size())
    try:
        red.send(red.context.get_connection(), bytes(1000), 1)
    except cc.DocaError as error:
        print("long", cc.code_name(error.code))

    try:
        server.context.as_ctx().stop()
    finally:
        red.context.as_ctx().stop()
        blue.context.as_ctx().stop()
    until(lambda: {end.state for end in (server, *ends)} == {cc.DOCA_CTX_STATE_IDLE}, server, *ends)
    print("left", len(left))
    for end in (red, blue, server):
        end.context.destroy()
        end.engine.destroy()
    rep.close()
    dpu.close()
    host.close()
    return red.failed + blue.failed + 4


if __name__ == "__main__":
    sys.exit(main())
