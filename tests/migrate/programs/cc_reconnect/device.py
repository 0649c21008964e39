"""Talks to the service in one session after the other; the first name that it tries has no server."""

import doca_cc as cc

NAMES = {
    cc.DOCA_CTX_STATE_IDLE: "IDLE",
    cc.DOCA_CTX_STATE_STARTING: "STARTING",
    cc.DOCA_CTX_STATE_RUNNING: "RUNNING",
    cc.DOCA_CTX_STATE_STOPPING: "STOPPING",
}


class Session:
    def __init__(self, dev, pe, name):
        self.pe = pe
        self.replies = []
        self.history = []
        self.client = cc.Client(dev, name)
        self.client.send_task_set_conf(self._free, self._free, 2)
        self.client.event_msg_recv_register(self._reply)
        self.client.set_max_msg_size(256)
        self.ctx = self.client.as_ctx()
        self.ctx.set_state_changed_cb(self._state)
        pe.connect_ctx(self.ctx)

    def _free(self, task, *user_data):
        task.as_task().free()

    def _reply(self, event, text, length, connection):
        self.replies.append(text[:length].decode())

    def _state(self, user_data, ctx, prev_state, next_state):
        self.history.append(NAMES[next_state])

    def connect(self):
        self.ctx.start()
        while self.ctx.get_state() == cc.DOCA_CTX_STATE_STARTING:
            self.pe.progress()
        return self.ctx.get_state() == cc.DOCA_CTX_STATE_RUNNING

    def ask(self, line):
        task = self.client.send_task_alloc_init(self.client.get_connection(), line.encode(), len(line))
        task.as_task().submit()
        expected = len(self.replies) + 1
        while len(self.replies) < expected:
            self.pe.progress()
        return self.replies[-1]

    def close(self):
        if self.ctx.get_state() != cc.DOCA_CTX_STATE_IDLE:
            self.ctx.stop()
        while self.ctx.get_state() != cc.DOCA_CTX_STATE_IDLE:
            self.pe.progress()
        self.client.destroy()


def main():
    dev = cc.open_device("b1:00.0")
    pe = cc.ProgressEngine()
    session = Session(dev, pe, "nobody")
    try:
        if not session.connect():
            print("nobody: back to idle")
    finally:
        session.close()
    for number, key in enumerate("ab", 1):
        session = Session(dev, pe, "kv")
        assert session.connect()
        answers = [session.ask("login"), session.ask("get " + key)]
        assert session.ask("logout") == "bye"
        print("session %d: %s" % (number, ", ".join(answers)))
        session.close()
    print("states", *session.history)
    pe.destroy()
    dev.close()


main()
