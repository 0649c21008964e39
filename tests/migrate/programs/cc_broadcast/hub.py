"""A chat hub of DOCA 2.5: what one client says, all others hear; numbers as user data."""

import logging
import sys
from typing import Any, Dict, List

import doca_cc as dcc

log = logging.getLogger("hub")
LOG_TASKS = {"small": 2, "large": 8}
MEMBERS = 2


class Hub(object):
    def __init__(self, size="large"):  # type: (str) -> None
        self.members = {}  # type: Dict[int, Any]
        self.lines = []  # type: List[str]
        self.dev = dcc.open_device("03:00.0")
        self.rep = self.dev.open_representor("b1:00.0")
        self.pe = dcc.ProgressEngine()
        self.server = dcc.Server(self.dev, self.rep, "hub")
        callbacks = self.sent, self.lost
        self.server.send_task_set_conf(callbacks[0], callbacks[1], 8)
        self.server.event_msg_recv_register(self.heard)
        self.server.event_connection_register(self.joined, self.left)
        self.ctx = self.server.as_ctx()
        self.ctx.set_user_data(self)
        self.pe.connect_ctx(self.ctx)

    @staticmethod
    def sent(task, number, hub):
        hub.lines.append("sent to %d" % number)
        task.as_task().free()

    @staticmethod
    def lost(task, number, hub):
        hub.lines.append("lost for %d" % number)
        task.as_task().free()

    def joined(self, event, connection, ok):
        number = len(self.members) + 1
        connection.set_user_data(number)
        self.members[number] = connection
        if number == MEMBERS:
            for each in self.members.values():
                self.say(each, b"go")

    def say(self, connection, text):
        task = self.server.send_task_alloc_init(connection, text)
        task.as_task().set_user_data(connection.get_user_data())
        task.as_task().submit()

    def heard(self, event, data, size, connection):
        for number, other in sorted(self.members.items()):
            if number != connection.get_user_data():
                self.say(other, data[:size])

    def left(self, event, connection, ok):
        del self.members[connection.get_user_data()]
        if not self.members:
            self.ctx.stop()

    def run(self):
        self.ctx.start()
        print("listening", flush=True)
        while self.ctx.get_state() != dcc.DOCA_CTX_STATE_IDLE:
            self.pe.progress()
        self.server.destroy()
        self.pe.destroy()
        print(sorted(self.lines))


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, stream=sys.stderr)
    Hub().run()
