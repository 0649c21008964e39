"""A peer whose sockets make descriptors: each message that is read from them brings one of its process."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.control_path.pair import client, connect, leave, server, until
from tests.descriptors import collected_fds, open_fds
from tests.fabric.hostile import GOOD, attacker

_SO_PASSPIDFD = 76  # since Linux 6.5; not in the socket module


def full_socket() -> int:
    """A socket of which each message comes with a descriptor, and which is full of them."""
    writer, read = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with writer, read:
        try:
            read.setsockopt(socket.SOL_SOCKET, _SO_PASSPIDFD, 1)
        except OSError as error:
            if error.errno != errno.ENOPROTOOPT:
                raise
            pytest.skip("before Linux 6.5 there are none")
        writer.setblocking(False)
        for _ in range(100_000):
            try:
                writer.send(b"x")
            except BlockingIOError:
                return os.dup(read.fileno())
    raise AssertionError("it is never full")


@pytest.fixture
def given() -> Iterator[list[int]]:
    made = [full_socket(), full_socket()]
    yield made
    for fd in made:
        os.close(fd)


def test_they_cost_the_server_nothing(runtime_dir: Path, given: list[int]) -> None:
    there = server()
    there.context.start()
    there.engine.progress()
    before = collected_fds()
    for _ in range(2):
        with attacker(runtime_dir) as hostile:
            hostile.say(GOOD, given)
            until(lambda: there.up, there.engine)
        until(lambda: there.down, there.engine)
        there.up.clear()
        there.down.clear()
        until(lambda: open_fds() == before)
    here = client()
    connect(there, here)
    leave(here, there)
