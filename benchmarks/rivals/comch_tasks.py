"""comch_next as NVIDIA documents it: send tasks, callbacks, and a progress engine that is polled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import comch_next as comch
from benchmarks.rivals._end import MAX_SIZE, QUEUE_SIZE, End


class Tasks(End):
    """A task for every message, freed by its completion; of what arrives only the last is kept."""

    def __init__(self, context: comch.Server | comch.Client) -> None:
        self.context = context
        self.connection: comch.Connection | None = None
        self.last = b""
        self.arrived = 0
        self.taken = 0
        self.free_tasks = QUEUE_SIZE
        context.max_msg_size = MAX_SIZE
        context.recv_queue_size = QUEUE_SIZE
        context.task_send_set_conf(self.on_sent, self.on_sent, QUEUE_SIZE)
        context.event_msg_recv_register(self.on_message)

    def on_sent(self, task: comch.SendTask) -> None:
        task.free()
        self.free_tasks += 1

    def on_message(self, connection: comch.Connection, data: bytes) -> None:
        self.last = data
        self.arrived += 1

    def on_connected(self, connection: comch.Connection, ok: bool) -> None:
        self.connection = self.connection or connection  # whoever comes later is only there to be connected

    def on_disconnected(self, connection: comch.Connection, ok: bool) -> None:
        """Nothing to do: the run is over."""

    def send(self, data: bytes) -> None:
        assert self.connection is not None
        while not self.free_tasks:
            self.context.engine.progress()
        self.free_tasks -= 1
        self.context.task_send_alloc_init(self.connection, data).submit()

    def receive(self) -> bytes:
        self.receive_many(1)
        return self.last

    def send_many(self, data: bytes, count: int) -> None:
        alloc, connection, progress = self.context.task_send_alloc_init, self.connection, self.context.engine.progress
        assert connection is not None
        for _ in range(count):
            while not self.free_tasks:
                progress()
            self.free_tasks -= 1
            alloc(connection, data).submit()

    def receive_many(self, count: int) -> None:
        progress = self.context.engine.progress
        self.taken += count
        while self.arrived < self.taken:
            progress()

    def close(self) -> None:
        self.context.close()


def meet_as_server(end: Tasks, ready: Callable[[], None]) -> None:
    server = end.context
    assert isinstance(server, comch.Server)
    server.event_connection_status_changed_register(end.on_connected, end.on_disconnected)
    server.start()
    ready()
    while end.connection is None:
        server.engine.progress()


def meet_as_client(end: Tasks) -> None:
    client = end.context
    assert isinstance(client, comch.Client)
    client.start()
    while client.state is comch.State.STARTING:
        client.engine.progress()
    end.connection = client.connection


def new_server() -> comch.Server:
    return comch.Server(comch.open_device("03:00.0"), "b1:00.0", "bench")


def new_client() -> comch.Client:
    return comch.Client(comch.open_device("b1:00.0"), "bench")


def serve(folder: Path, ready: Callable[[], None]) -> End:
    end = Tasks(new_server())
    meet_as_server(end, ready)
    return end


def connect(folder: Path) -> End:
    end = Tasks(new_client())
    meet_as_client(end)
    return end
