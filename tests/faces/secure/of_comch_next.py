"""The secure channel over control messages with comch_next: `SIDE NUMBER`, as field/secure_ctrl.c."""

import sys

import comch_next as comch

SERVICE, TASKS = "field secure", 16


class Channel:
    """One side: what it has sent and received."""

    def __init__(self, side: str, number: int) -> None:
        self.number, self.submitted, self.sent, self.received, self.wrong = number, 0, 0, 0, 0
        self.engine = comch.ProgressEngine()
        context: comch.Server | comch.Client
        if side == "server":
            context = comch.Server(comch.open_device("03:00.0"), "b1:00.0", SERVICE, engine=self.engine)
            context.event_connection_status_changed_register(self._connected, self._disconnected)
        else:
            context = comch.Client(comch.open_device("b1:00.0"), SERVICE, engine=self.engine)
        self.context = context
        context.task_send_set_conf(self._done, self._failed, TASKS)
        context.event_msg_recv_register(self._on_message)
        context.set_state_changed_cb(self._moved)

    def _begin(self, connection: comch.Connection) -> None:
        self.connection = connection
        for _ in range(min(TASKS, self.number)):
            self._send_next()

    def _connected(self, connection: comch.Connection, ok: bool) -> None:
        if ok:
            self._begin(connection)

    def _disconnected(self, *_: object) -> None:
        self.context.stop()

    def _moved(self, _: object, __: object, new: comch.State) -> None:
        if new is comch.State.RUNNING and isinstance(self.context, comch.Client):
            self._begin(self.context.connection)

    def _send_next(self) -> None:
        self.context.task_send_alloc_init(self.connection, b"message %d" % self.submitted).submit()
        self.submitted += 1

    def _done(self, task: comch.SendTask) -> None:
        task.free()
        self.sent += 1
        if self.submitted < self.number:
            self._send_next()
        self._leave_if_done()

    def _failed(self, task: comch.SendTask) -> None:
        task.free()
        self.wrong += 1
        self.context.stop()

    def _on_message(self, _: object, data: bytes) -> None:
        self.wrong += data != b"message %d" % self.received
        self.received += 1
        self._leave_if_done()

    def _leave_if_done(self) -> None:
        if isinstance(self.context, comch.Client) and self.sent == self.received == self.number:
            self.context.stop()

    def run(self) -> None:
        """Talk until both have everything."""
        self.context.start()
        print("listening", flush=True)
        while self.context.state is not comch.State.IDLE:
            if not self.engine.progress():
                self.engine.wait(1)
        self.context.close()
        print(f"{self.sent} sent, {self.received} received, {self.wrong} wrong\nDOCA_SUCCESS")


Channel(sys.argv[1], int(sys.argv[2])).run()
