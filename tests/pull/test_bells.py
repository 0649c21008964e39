"""Who is roused by which bell, whatever else happens to the connection meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

import comch_next as comch
from comch_next import Client, Connection, PullPort, Server, State
from comch_next.driver.emulated._channels import Channel, Channels
from tests.control_path.pair import client, leave, server
from tests.control_path.pair import until as turn_until
from tests.pull.support import ready, until


class Ports:
    """A server's port and a client's, connected, of programs that hear nothing of an orderly leave."""

    def __init__(self) -> None:
        self.server = Server(comch.open_device("03:00.0"), "b1:00.0", "svc")
        self.client = Client(comch.open_device("b1:00.0"), "svc")
        self.there, self.here = (PullPort(context, one_sided=True) for context in (self.server, self.client))
        self.server.start()
        self.client.start()

    def meet(self) -> Connection:
        connection: Connection = until(self.there.accept)
        until(lambda: self.here.status(self.client.connection) is comch.ErrorCode.SUCCESS)
        return connection

    def close(self) -> None:
        for context in (self.client, self.server):
            context.close()


@pytest.fixture
def ports() -> Iterator[Ports]:
    made = Ports()
    yield made
    made.close()


def sleep(port: PullPort) -> None:
    """Arm it until nothing is there."""
    port.arm_recv()
    while ready(port.recv_fd):
        port.receive()
        port.arm_recv()


def test_a_ring_outlives_a_send_to_whoever_has_rung_and_left(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sending thread loses the processor between its look at the sockets and its send."""
    peer = ports.meet()
    sleep(ports.there)
    sleep(ports.here)
    port = ports.there._handle
    look = port.look

    def look_late() -> None:
        look()
        monkeypatch.undo()
        assert ports.here.send(ports.client.connection, b"last words")
        ports.client.close()

    monkeypatch.setattr(port, "look", look_late)
    port.poller.c.pace.next = 0
    until(lambda: ports.there.send(peer, b"x") and port.look == look)
    assert ready(ports.there.recv_fd)
    assert ports.there.receive() == (b"last words", peer)


def test_a_descriptor_asked_for_while_a_connection_comes_up(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    made, go_on = threading.Event(), threading.Event()
    make = Channels._make

    def slowly(self: Channels, name: str) -> Channel:
        channel = make(self, name)
        made.set()
        go_on.wait(0.2)
        return channel

    monkeypatch.setattr(Channels, "_make", slowly)
    asking = threading.Thread(target=lambda: ports.there.recv_fd)
    asking.start()
    made.wait()
    peer = ports.meet()
    go_on.set()
    asking.join()
    sleep(ports.there)
    assert ports.here.send(ports.client.connection, b"hello")
    assert ready(ports.there.recv_fd, 1)
    assert ports.there.receive() == (b"hello", peer)


def test_tasks_beside_a_port_make_no_noise() -> None:
    """The room that they wait for is told on a bell that only the port hears."""
    there, here = server(), client(recv_queue_size=1)
    port = PullPort(there.context)
    there.context.start()
    here.context.start()
    turn_until(lambda: port.accept() or here.state is State.RUNNING, here.engine)
    turn_until(lambda: here.state is State.RUNNING, here.engine)
    (peer,) = port.connections
    turn_until(lambda: here.state is State.RUNNING, here.engine)
    for number in range(1, 13):
        there.send(b"x", peer)
        there.send(b"x", peer)
        there.engine.progress()
        there.engine.request_notification()
        there.engine.clear_notification()
        turn_until(lambda number=number: len(here.messages) == 2 * number, here.engine)  # type: ignore[misc]
        turn_until(lambda number=number: len(there.done) == 2 * number, there.engine)  # type: ignore[misc]
    port.arm_send()
    turn_until(lambda: ready(port.send_fd), there.engine)
    assert port.status(peer) is comch.ErrorCode.SUCCESS
    leave(here, there)
