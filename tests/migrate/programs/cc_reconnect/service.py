"""A key-value service that outlives its clients; sessions are user data of the connections (objects, DOCA 2.5)."""

from dataclasses import dataclass, field

import doca_cc as cc

VALUES = {"a": "value of a", "b": "value of b"}


@dataclass
class Session:
    number: int
    lines: list = field(default_factory=list)


class Service:
    log_num_tasks = 4

    def __init__(self, device, representor, name):
        self.sessions = 0
        self.open = 0
        self.engine = cc.ProgressEngine()
        self.server = cc.Server(device, representor, name)
        self.context = self.server.as_ctx()
        self.engine.connect_ctx(self.context)
        self.context.set_user_data(self)
        self.server.set_max_msg_size(256)
        self.server.send_task_set_conf(self.sent, self.sent, self.log_num_tasks)
        self.server.event_msg_recv_register(self.message)
        self.server.event_connection_register(self.enter, self.leave)

    def sent(self, task, task_user_data, ctx_user_data):
        assert ctx_user_data is self
        task.as_task().free()

    def enter(self, event, connection, ok):
        self.sessions += 1
        self.open += 1
        connection.set_user_data(Session(self.sessions))

    def leave(self, event, connection, ok):
        session = connection.get_user_data()
        print(f"session {session.number}: {session.lines}")
        self.open -= 1

    def message(self, event, text, length, connection):
        line = text.decode()
        connection.get_user_data().lines.append(line)
        verb, _, key = line.partition(" ")
        answer = {"login": "welcome", "get": VALUES.get(key), "logout": "bye"}[verb]
        reply = self.server.send_task_alloc_init(connection, answer.encode())
        reply.as_task().submit()

    def serve(self, sessions):
        self.context.start()
        print("listening", flush=True)
        while self.sessions < sessions or self.open:
            self.engine.progress()

    def close(self):
        self.context.stop()
        try:
            self.server.send_task_set_conf(self.sent, self.sent, 64)
        except cc.DocaError as e:
            print("refused:", type(e).__name__)
        self.server.destroy()
        self.engine.destroy()


with cc.open_device("03:00.0") as device:
    with device.open_representor("b1:00.0") as representor:
        service = Service(device, representor, "kv")
        try:
            service.serve(2)
        finally:
            service.close()
print("closed")
