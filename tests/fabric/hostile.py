"""A peer that speaks to the sockets by hand, so that it can say what no library would."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from comch_next.driver.emulated._fabric import handshake
from comch_next.driver.emulated._fabric.bells import new_bell, new_bells
from comch_next.driver.emulated._kernel.ring import Receiver, Sender
from comch_next.errors import ErrorCode
from tests.processes import SOON_S

TERMS = handshake.Terms(4080, False, 64, 64)
GOOD = handshake.Hello(TERMS).encode()


def bells(count: int) -> list[int]:
    """As a greeting brings them, with nobody at the other end."""
    own, others = zip(*(new_bell() for _ in range(count)), strict=True) if count else ((), ())
    close_all(list(own))
    return list(others)


def close_all(fds: list[int]) -> None:
    for fd in fds:
        with suppress(OSError):
            os.close(fd)


class Attacker:
    """A client made of a bare socket."""

    def __init__(self, runtime_dir: Path) -> None:
        (path,) = runtime_dir.glob("*.sock")
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.settimeout(SOON_S)
        self.sock.connect(str(path))
        self.fds: list[int] = []
        self.heard: list[int] = []  # its ends of its bells, and copies of those that it gave away
        self.rung: list[int] = []

    def say(self, data: bytes, fds: list[int] | None = None) -> None:
        socket.send_fds(self.sock, [data], fds or [])

    def hear(self) -> bytes:
        """What the server answers, b"" when it hangs up; descriptors are kept."""
        try:
            data, fds, _, _ = socket.recv_fds(self.sock, 256, 16)
        except ConnectionResetError:
            return b""
        self.fds += fds
        return data

    def code(self) -> ErrorCode:
        """The code that the server's answer carries."""
        return handshake.Welcome.decode(self.hear()).code

    def greet(self, terms: handshake.Terms = TERMS) -> None:
        """A good greeting."""
        self.heard, self.rung = new_bells(2)
        self.say(handshake.Hello(terms).encode(), self.rung)

    @property
    def bells(self) -> list[int]:
        """After a good welcome: what it may ring the server with."""
        return self.fds[2:]

    def rings(self, own: handshake.Terms = TERMS, size: int = 4080) -> tuple[Sender, Receiver]:
        """After a good welcome: its rings, mapped."""
        to_server, to_client = self.fds[:2]
        sender = Sender(to_server, size, 64, own.send_limit, -1)
        return sender.attach(), Receiver(to_client, size, own.recv_limit, 64, -1).attach()

    def close(self) -> None:
        self.sock.close()
        close_all(self.fds + self.heard + self.rung)


@contextmanager
def attacker(runtime_dir: Path) -> Iterator[Attacker]:
    made = Attacker(runtime_dir)
    try:
        yield made
    finally:
        made.close()
