"""A connection ends where nobody expects it: within another one's end, on another thread, by a peer that writes on."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterable
from typing import Any

import pytest

import comch_next as comch
from comch_next import ErrorCode, State
from comch_next.driver.emulated import _engine
from comch_next.driver.emulated._fabric.channel import Channel
from comch_next.driver.emulated._kernel import poller
from tests.control_path.pair import client, connect, leave, server, until
from tests.control_path.pulled import connected, listening
from tests.fast_path.lane import Inbox, Lane
from tests.inside import inside
from tests.processes import SOON_S

pytestmark = pytest.mark.usefixtures("runtime_dir")


def test_in_the_middle_of_the_end_of_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The collector may run where the list of rings is made anew, and what it finalizes may leave a connection."""
    there, clients = server(), [client() for _ in range(3)]
    for here in clients:
        connect(there, here)
    first, second, third = (connection for connection, _ in there.up)
    finalized: list[comch.Connection] = []

    def made(links: Iterable[Any]) -> tuple[Any, ...]:
        result = tuple(links)
        if not finalized:
            finalized.append(second)
            there.context.disconnect(second)
        return result

    monkeypatch.setattr(poller, "tuple", made, raising=False)
    there.context.disconnect(first)
    assert finalized == [second]
    assert list(inside(there.engine).poller.links) == [inside(third)]
    clients[2].send(b"still heard")
    until(lambda: there.messages == [b"still heard"], there.engine, clients[2].engine)
    leave(*clients, there)


def test_a_consumer_in_the_middle_of_the_end_of_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    lane = Lane()
    other = Inbox(lane.there.connection, lane.there.context.device)
    for inbox in (lane.inbox, other):
        inbox.consumer.start()
    lane.until(lambda: lane.inbox.consumer.state is other.consumer.state is State.RUNNING)
    finalized: list[Any] = []

    def made(consumers: Iterable[Any]) -> tuple[Any, ...]:
        result = tuple(consumers)
        if not finalized:
            finalized.append(other)
            other.consumer.close()
        return result

    monkeypatch.setattr(_engine, "tuple", made, raising=False)
    lane.inbox.consumer.close()
    assert finalized == [other]
    assert inside(lane.there.engine).consumers == ()
    other.close()
    lane.close()


def test_a_send_that_finds_a_broken_ring_leaves_its_end_to_the_engine() -> None:
    """It may be another thread's, while this one's progress goes through the rings."""
    there, here = server(), client()
    connect(there, here)
    link = inside(there.connection)
    there.send(b"unread")
    inside(here.connection).rx.shared.tail = 1000  # says that it has read more than was sent
    sent = threading.Thread(target=lambda: [there.send(bytes(4000)) for _ in range(32)])
    with there.engine._lock:
        sent.start()
        sent.join(SOON_S)
        assert not sent.is_alive()
        assert (link.status, link.receiver is None) == (ErrorCode.SUCCESS, False)
    until(lambda: there.down, there.engine)
    assert there.failed
    assert {task.status for task in there.failed} == {ErrorCode.CONNECTION_RESET}
    until(lambda: here.state is State.IDLE, here.engine)
    leave(there, here)


def test_what_a_peer_writes_after_its_end_keeps_nobody_from_hearing_of_that() -> None:
    with listening() as there, connected(there) as here:
        peer = inside(here.connection)
        assert peer.send_now(b"before it") == 0
        peer.sock.shutdown(socket.SHUT_RDWR)
        received = []

        def ended() -> bool:
            peer.send_now(b"after it")
            try:
                received.append(there.receive(timeout=SOON_S).data)
            except comch.ConnectionReset:
                return True
            assert len(received) < 100_000
            return False

        until(ended)
        assert received[0] == b"before it"


class Interrupt(Exception):
    """A signal's handler has raised it."""


def test_an_interrupt_takes_no_news_of_a_send(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes between the news and the bell: the arming has had its whole effect, or none."""

    def strike(*_: object) -> None:
        raise Interrupt

    def ring(channel: Channel) -> None:
        signal.raise_signal(signal.SIGUSR1)
        genuine(channel)

    genuine = Channel.ring
    with listening() as there, connected(there) as here:
        port: Any = here.port
        while port.send(here.connection, bytes(1000)):
            pass
        there.receive(timeout=SOON_S)
        before = signal.signal(signal.SIGUSR1, strike)
        try:
            with monkeypatch.context() as patches:
                patches.setattr(Channel, "ring", ring)
                with pytest.raises(Interrupt):
                    port.arm_send()
        finally:
            signal.signal(signal.SIGUSR1, before)
        assert comch.engine.wait_readable(lambda: port.send_fd, 0.0)
