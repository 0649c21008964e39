"""What a hostile client does to its bells deafens nobody else, makes nobody wait, and rouses nobody for good."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from comch_next import State
from tests.control_path.pair import client, connect, leave, server, until
from tests.fabric.hostile import Attacker, attacker
from tests.processes import SOON_S
from tests.ring.ring import send

ROUNDS = 2000
ASLEEP_S = 2 * SOON_S


class Service:
    """A server that sleeps on a thread of its own until it is roused, and answers what comes; with its good client."""

    def __init__(self) -> None:
        self.there, self.here = server(), client()
        connect(self.there, self.here)
        self._over = False
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        there = self.there
        while not self._over:
            there.engine.wait(ASLEEP_S)
            there.engine.progress()
            while there.messages:
                there.send(there.messages.pop(), there.senders.pop())

    def echoes(self, count: int) -> None:
        """Messages and their answers, which come well before anybody would look without having been roused."""
        here = self.here
        for number in range(count):
            here.send(b"%d" % number)
            while not here.messages:
                assert here.engine.wait(ASLEEP_S / 2), f"the answer to message {number} does not come"
                here.engine.progress()
            assert here.messages.pop() == b"%d" % number

    def close(self) -> None:
        self._over = True
        self.here.send(b"last")
        self._thread.join()
        leave(self.here, self.there)


@pytest.fixture
def service() -> Iterator[Service]:
    """Its good client must be served to the end."""
    made = Service()
    yield made
    made.echoes(10)
    assert (made.there.state, made.here.state) == (State.RUNNING, State.RUNNING)
    made.close()


@pytest.fixture
def bad(service: Service, runtime_dir: Path) -> Iterator[Attacker]:
    """A client that has kept copies of the ends that the server rings."""
    with attacker(runtime_dir) as made:
        made.greet()
        made.hear()
        yield made


@contextmanager
def meanwhile(action: Callable[[], object]) -> Iterator[None]:
    """Do it again and again on another thread."""
    over = threading.Event()

    def run() -> None:
        while not over.is_set():
            action()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def sockets(fds: list[int]) -> Iterator[list[socket.socket]]:
    """The bells as what they are; the descriptors stay open."""
    made = [socket.socket(fileno=fd) for fd in fds]
    try:
        yield made
    finally:
        for each in made:
            each.detach()


def test_one_that_is_drained(service: Service, bad: Attacker) -> None:
    """What a client can read away is meant for itself."""

    def drain() -> None:
        for each in stolen:
            with suppress(BlockingIOError):
                each.recv(1, socket.MSG_DONTWAIT)

    with sockets(bad.heard + bad.rung + bad.bells) as stolen, meanwhile(drain):
        service.echoes(ROUNDS)
    assert not service.there.down


def test_one_that_rings_without_end(service: Service, bad: Attacker) -> None:
    """It costs the client its connection; nobody is roused by it afterwards, nor is anything of it kept."""

    def ring() -> None:
        for each in own:
            for attached in ([], [0]):  # newer kernels let nobody attach a descriptor
                with suppress(OSError):
                    socket.send_fds(each, [b"\0"], attached, socket.MSG_DONTWAIT)

    with sockets(bad.bells) as own, meanwhile(ring):
        service.echoes(ROUNDS)
        until(lambda: service.there.down)
    assert [ok for _, ok in service.there.down] == [False]


@pytest.mark.parametrize("how", [socket.SHUT_RD, socket.SHUT_RDWR])
def test_one_that_is_shut_down(service: Service, bad: Attacker, how: int) -> None:
    """Seen from the server it is silent."""
    with sockets(bad.rung + bad.bells) as ends:
        for each in ends:
            each.shutdown(how)
        service.echoes(10)
    assert not service.there.down


def test_one_that_cannot_be_rung(service: Service, bad: Attacker) -> None:
    """Full, and made to block: whoever rings it does not wait."""
    with sockets(bad.rung) as rung, suppress(BlockingIOError):
        while True:
            rung[0].send(b"\0", socket.MSG_DONTWAIT)
    with sockets(bad.rung) as rung:
        rung[0].setblocking(True)
        sender, receiver = bad.rings()
        receiver.rx.shared.data_armed = 1
        assert send(sender.tx, b"hello") == 0
        service.echoes(10)  # which rouse the server; it answers all
        until(lambda: not receiver.rx.shared.data_armed)
        sender.close()
        receiver.close()
