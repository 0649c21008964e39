"""A malformed or hostile server: its client falls back to IDLE with a reason, and keeps no descriptor."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator

import pytest

from comch_next import ConnectionAborted, ErrorCode, State
from comch_next.driver.emulated._fabric import handshake
from comch_next.driver.emulated._fabric.meeting import Listener
from comch_next.driver.emulated._kernel.ring import make_memory
from tests.control_path.pair import client, leave, until
from tests.descriptors import collected_fds, open_fds
from tests.fabric.hostile import TERMS, bells, close_all


@pytest.fixture
def listener() -> Iterator[Listener]:
    """A listener in a server's place, whose answers the test makes up."""
    made = Listener("0000:03:00.0", "0000:b1:00.0", "svc")
    yield made
    made.close()


def plain_memory(size: int = 0) -> int:
    fd = os.memfd_create("plain", os.MFD_CLOEXEC)
    os.ftruncate(fd, size)
    return fd


def ring(messages: int = 128, size: int = 4080) -> int:
    return make_memory(size, messages)


def welcome(code: ErrorCode = ErrorCode.SUCCESS, terms: handshake.Terms = TERMS) -> bytes:
    return handshake.Welcome(code, terms).encode()


def good() -> list[int]:
    return [ring(), ring(), *bells(1)]


ANSWERS: dict[str, tuple[bytes, Callable[[], list[int]]]] = {
    "noise": (b"what?", list),
    "empty": (b"", list),
    "cut short": (welcome()[:-1], good),
    "trailing bytes": (welcome() + b"\0", good),
    "wrong magic": (b"XXXX" + welcome()[4:], good),
    "wrong version": (welcome()[:4] + b"\7\0" + welcome()[6:], good),
    "unknown code": (welcome()[:8] + b"\xff\0\0\0" + welcome()[12:], good),
    "impossible terms": (welcome(terms=handshake.Terms(0, False, 0, 0)), good),
    "no descriptors": (welcome(), list),
    "two descriptors": (welcome(), lambda: [ring(), ring()]),
    "five descriptors": (welcome(), lambda: [ring(), ring(), *bells(3)]),
    "rings too small": (welcome(), lambda: [ring(4), ring(4), *bells(2)]),
    "rings of other terms": (welcome(terms=handshake.Terms(8160, False, 64, 64)), good),
    "rings too large": (welcome(terms=handshake.Terms(1 << 20, True, 1 << 16, 1 << 16)), good),
    "one ring unsealed": (welcome(), lambda: [ring(), plain_memory(1 << 20), *bells(2)]),
    "rings that are bells": (welcome(), lambda: bells(4)),
    "bells that are rings": (welcome(), lambda: [ring() for _ in range(4)]),
    "bells first": (welcome(), lambda: [*bells(2), ring(), ring()]),
    "files": (welcome(), lambda: [os.open("/dev/zero", os.O_RDWR) for _ in range(4)]),
    "refusal with gifts": (welcome(ErrorCode.FULL), good),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_bad_answers(listener: Listener, name: str) -> None:
    data, make = ANSWERS[name]
    here = client()
    before = collected_fds()
    here.context.start()
    connection = here.connection
    sock, _ = listener.socket.accept()
    with sock:
        fds = make()
        socket.send_fds(sock, [data], fds)
        close_all(fds)
        until(lambda: here.state is State.IDLE, here.engine)
    with pytest.raises(ConnectionAborted, match="connection to 'svc' failed"):
        connection.update_info()
    assert here.states == [(State.IDLE, State.STARTING), (State.STARTING, State.IDLE)]
    until(lambda: open_fds() == before)  # files that came are closed by a thread, perhaps later
    leave(here)


def test_a_server_that_hangs_up(listener: Listener) -> None:
    here = client()
    here.context.start()
    connection = here.connection
    listener.socket.accept()[0].close()
    until(lambda: here.state is State.IDLE, here.engine)
    with pytest.raises(ConnectionAborted):
        connection.update_info()
    leave(here)


def test_a_server_that_never_answers_can_be_left(listener: Listener) -> None:
    here = client()
    here.context.start()
    for _ in range(10):
        here.engine.progress()
    assert here.state is State.STARTING
    leave(here)


def test_a_server_of_another_wire_version_is_named(listener: Listener) -> None:
    here = client()
    here.context.start()
    connection = here.connection
    sock, _ = listener.socket.accept()
    with sock:
        sock.send(welcome()[:4] + b"\7\0" + b"longer than any of this version")
        until(lambda: here.state is State.IDLE, here.engine)
    with pytest.raises(ConnectionAborted, match=rf"wire version 7, this client {handshake.VERSION}: install the same"):
        connection.update_info()
    leave(here)
