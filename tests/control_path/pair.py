"""A server and its clients in one process, on engines that the test turns by hand."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import comch_next as comch
from comch_next import Client, Connection, ProgressEngine, SendTask, Server, State
from tests.processes import SOON_S
from tests.pull.support import ready

DPU, REP, HOST = "03:00.0", "b1:00.0", "b1:00.0"
IDLE, STARTING, RUNNING, STOPPING = State.IDLE, State.STARTING, State.RUNNING, State.STOPPING


def ignore(*_: object) -> None:
    """A callback that wants nothing."""


def until(condition: Callable[[], object], *engines: ProgressEngine) -> None:
    """Turn the engines until the condition holds."""
    deadline = time.monotonic() + SOON_S
    while not condition():
        moved = [engine.progress() for engine in engines]
        if not any(moved):
            assert time.monotonic() < deadline, "the condition did not come true in time"
            if engines:
                engines[0].wait(0.001)


def sleep(engine: comch.ProgressEngine) -> None:
    """Arm it, with nothing to do for it."""
    until(lambda: not engine.progress())
    engine.request_notification()
    while ready(engine.notification_handle):
        engine.clear_notification()
        until(lambda: not engine.progress())
        engine.request_notification()


class Side:
    """One context, and all that its callbacks were told."""

    def __init__(self, context: Server | Client, tasks: int = 64, *, pulled: bool = False) -> None:
        self.context: Any = context
        self.engine = context.engine
        self.messages: list[bytes] = []
        self.senders: list[Connection] = []
        self.done: list[SendTask] = []
        self.failed: list[SendTask] = []
        self.states: list[tuple[State, State]] = []
        self.up: list[tuple[Connection, bool]] = []
        self.down: list[tuple[Connection, bool]] = []
        self.kept: Any = None  # whatever a test wants to find again
        context.task_send_set_conf(self._on_done, self._on_failed, tasks)
        context.set_state_changed_cb(self._on_state)
        if not pulled:
            context.event_msg_recv_register(self._on_message)
        if isinstance(context, Server) and not pulled:
            context.event_connection_status_changed_register(
                lambda connection, ok: self.up.append((connection, ok)),
                lambda connection, ok: self.down.append((connection, ok)),
            )

    def _on_done(self, task: SendTask) -> None:
        self.done.append(task)
        task.free()

    def _on_failed(self, task: SendTask) -> None:
        self.failed.append(task)
        task.free()

    def _on_message(self, connection: Connection, data: bytes) -> None:
        self.senders.append(connection)
        self.messages.append(data)

    def _on_state(self, context: object, old: State, new: State) -> None:
        assert context is self.context
        self.states.append((old, new))

    @property
    def state(self) -> State:
        state: State = self.context.state
        return state

    @property
    def connection(self) -> Connection:
        """A client's connection, or the server's newest."""
        found: Connection = self.up[-1][0] if isinstance(self.context, Server) else self.context.connection
        return found

    def task(self, data: bytes = b"x", connection: Connection | None = None) -> SendTask:
        made: SendTask = self.context.task_send_alloc_init(connection or self.connection, data)
        return made

    def send(self, data: bytes = b"x", connection: Connection | None = None) -> SendTask:
        task = self.task(data, connection)
        task.submit()
        return task


def server(name: str = "svc", *, tasks: int = 64, pulled: bool = False, **options: Any) -> Side:
    """A server that has been configured with callbacks, `pulled` only with those for tasks, not started."""
    return Side(Server(comch.open_device(DPU), REP, name, **options), tasks, pulled=pulled)


def client(name: str = "svc", *, tasks: int = 64, host: str = HOST, **options: Any) -> Side:
    """A client that has been configured with callbacks, not started."""
    return Side(Client(comch.open_device(host), name, **options), tasks)


def connect(there: Side, here: Side) -> None:
    """Start both, where they are not, and progress until they know each other."""
    if there.state is State.IDLE:
        there.context.start()
    known = len(there.up)
    here.context.start()
    until(lambda: here.state is State.RUNNING and len(there.up) > known, there.engine, here.engine)


def pair(**options: Any) -> tuple[Side, Side]:
    """A running server and its running client."""
    there, here = server(**options), client(**options)
    connect(there, here)
    return there, here


def leave(*sides: Side) -> None:
    """Everything back: stop, progress, destroy."""
    for side in sides:
        if side.state is not State.IDLE:
            side.context.stop()
    engines = [side.engine for side in sides]
    until(lambda: all(side.state is State.IDLE for side in sides), *engines)
    for side in sides:
        side.context.close()
        side.engine.destroy()
        side.context.device.close()
