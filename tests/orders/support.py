"""What the tests of orders share: devices, pairs that are connected by hand, and waits with a deadline."""

from __future__ import annotations

import importlib
import os
import select
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from tests.processes import SOON_S as SOON_S

# Untyped, since these tests give wrong types and unknown attributes on purpose.
comch: Any = importlib.import_module("comch_next")

DPU, REP, OTHER_REP, HOST, OTHER_HOST = "03:00.0", "b1:00.0", "b1:00.1", "b1:00.0", "b1:00.1"
NAME, OTHER_NAME = "orders", "orders-2"
STILL_S = 0.05  # how long is watched for what must not happen


class World:
    """The devices of both sides, and every context that a test has made through it."""

    def __init__(self) -> None:
        self.dpu = comch.open_device(DPU)
        self.host = comch.open_device(HOST)
        self.other_host = comch.open_device(OTHER_HOST)
        self.rep = self.dpu.open_representor(REP)
        self.contexts: list[Any] = []

    def keep(self, context: Any) -> Any:
        """Close the context when the test ends."""
        self.contexts.append(context)
        return context

    def server(self, name: str = NAME, **options: Any) -> Any:
        server = self.keep(comch.Server(self.dpu, self.rep, name, **options))
        server.listen()
        return server

    def client(self, **options: Any) -> Any:
        """A client that has everything but a name."""
        client = self.keep(comch.Client(**options))
        client.device = self.host
        return client

    def close(self) -> None:
        while self.contexts:
            with suppress(comch.NotConnected):  # a one-sided context that the test has closed
                self.contexts.pop().close()
        for opened in (self.rep, self.dpu, self.host, self.other_host):
            opened.close()


class Pair:
    """A server and a client that are connected; `peer` is the server's connection, `connection` the client's."""

    def __init__(self, world: World, **options: Any) -> None:
        self.world = world
        self.server = world.server(**options)
        self.client = world.client(**options)
        self.connection = connect(self.client, self.server)
        self.peer = introduce(self.connection, self.server)


def connect(client: Any, server: Any, name: str = NAME) -> Any:
    """Connect to a server of this process, which has to accept meanwhile."""
    connection = client.connect(name, timeout=0)
    until(lambda: is_up(connection, server))
    return connection


def introduce(connection: Any, server: Any) -> Any:
    """The server's connection, which it learns from a first message."""
    connection.send(b"introduction", timeout=SOON_S)
    message = server.receive(timeout=SOON_S)
    assert message.data == b"introduction"
    return message.connection


def is_up(connection: Any, *servers: Any) -> bool:
    """Whether the connection is up; the servers accept meanwhile, and have no message."""
    for server in servers:
        assert receives_nothing(server)
    try:
        connection.update_info()
    except comch.ConnectionInprogress:
        return False
    return True


def accepts(server: Any, connection: Any) -> bool:
    """The same for a server that may report once that a former connection has ended."""
    with suppress(comch.Again, comch.Shutdown, comch.ConnectionReset):
        server.receive(timeout=0)
    return is_up(connection)


def receives_nothing(context: Any) -> bool:
    """Whether a receive without waiting raises Again; a server accepts by it."""
    try:
        context.receive(timeout=0)
    except comch.Again:
        return True
    return False


def until(condition: Callable[[], object], *engines: Any) -> None:
    """Turn the engines until the condition holds."""
    deadline = time.monotonic() + SOON_S
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true in time"
        for engine in engines:
            engine.progress()
        select.select([], [], [], 0.0001)


def raises_soon(error: type[BaseException], call: Callable[..., object], *arguments: Any, **options: Any) -> None:
    """Call until it raises that: what the other side did is noticed within a moment, not at once."""

    def raised() -> bool:
        try:
            call(*arguments, **options)
        except comch.Again:
            return False
        except error:
            return True
        return False

    until(raised)


def wait_readable(fd: int, timeout: float) -> bool:
    with select.epoll() as poller:
        poller.register(fd, select.EPOLLIN)
        return bool(poller.poll(timeout))


def fill(connection: Any, message: bytes = b"x") -> int:
    """Send until nothing more is accepted; how many were."""
    for number in range(100_000):
        try:
            connection.send(message, timeout=0)
        except comch.Again:
            return number
    raise AssertionError("the queue has no end")


def open_descriptors() -> set[str]:
    return set(os.listdir("/proc/self/fd"))


def ignore(*_: object) -> None:
    """A callback that wants nothing."""


def register(context: Any, on_message: Callable[..., object] = ignore) -> None:
    """Register what start demands."""
    context.task_send_set_conf(lambda task: task.free(), lambda task: task.free(), 16)
    context.event_msg_recv_register(on_message)
    if isinstance(context, comch.Server):
        context.event_connection_status_changed_register(ignore, ignore)


def talk(client: Any, server: Any, name: str = NAME) -> None:
    """Connect, and have a message answered."""
    connection = connect(client, server, name)
    peer = introduce(connection, server)
    peer.send(b"answer", timeout=SOON_S)
    assert client.receive(timeout=SOON_S).data == b"answer"
