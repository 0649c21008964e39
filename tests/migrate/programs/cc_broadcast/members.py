"""Two members of the hub on one engine."""

import doca_cc as dcc


class Member:
    def __init__(self, name, dev, pe):
        self.name, self.heard, self.expected = name, [], 1
        self.client = dcc.Client(dev, "hub")
        self.client.send_task_set_conf(self.freed, self.freed, 1)
        self.client.event_msg_recv_register(self.on_message)
        pe.connect_ctx(self.client.as_ctx())
        self.client.as_ctx().start()

    def freed(self, task, *data):
        task.as_task().free()

    def on_message(self, event, data, size, connection):
        if data == b"go":
            text = ("hello from %s" % self.name).encode()
            self.client.send_task_alloc_init(connection, text, len(text)).as_task().submit()
        else:
            self.heard.append(data.decode())


dev = dcc.open_device("b1:00.0")
pe = dcc.ProgressEngine()
members = [Member(name, dev, pe) for name in ("ann", "bob")]
while not all(len(member.heard) == member.expected for member in members):
    pe.progress()
for member in members:
    print(member.name, "heard", member.heard)
    member.client.as_ctx().stop()
for member in members:
    while member.client.as_ctx().get_state() != dcc.DOCA_CTX_STATE_IDLE:
        pe.progress()
    member.client.destroy()
pe.destroy()
dev.close()
