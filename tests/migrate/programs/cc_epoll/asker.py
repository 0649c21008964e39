"""Sends messages of growing length, one after the answer to the other."""

import struct

from doca_cc import DOCA_CTX_STATE_IDLE, DOCA_CTX_STATE_RUNNING, Client, open_device
from loop import Loop

LENGTHS = [1, 10, 100, 256]


class Asker:
    def __init__(self, loop, device):
        self.loop, self.left, self.idle = loop, list(LENGTHS), False
        self.client = client = Client(device, "lengths")
        client.set_max_msg_size(256)
        client.task_send_set_conf(self.done, self.done, num_send_tasks=1)
        client.event_msg_recv_register(recv_event_cb=self.answered)
        client.as_ctx().set_state_changed_cb(self.changed)
        loop.engine.connect_ctx(client.as_ctx())

    def done(self, task, data, context):
        task.as_task().free()

    def answered(self, event, message, size, connection):
        print(*struct.unpack("!III", message))
        if self.left:
            self.ask()
        else:
            self.client.as_ctx().stop()

    def ask(self):
        connection = self.client.get_connection()
        self.client.task_send_alloc_init(connection, bytes(self.left.pop(0))).as_task().submit()

    def changed(self, data, context, before, after):
        if after == DOCA_CTX_STATE_RUNNING:
            self.ask()
        self.idle = after == DOCA_CTX_STATE_IDLE


loop = Loop()
with open_device("b1:00.0") as device:
    asker = Asker(loop, device)
    asker.client.as_ctx().start()
    loop.run(lambda: asker.idle)
    asker.client.destroy()
    loop.close()
