"""AF_UNIX SOCK_SEQPACKET, asleep in epoll until the socket is readable."""

from __future__ import annotations

import os
import select
import socket
from collections.abc import Callable
from pathlib import Path

from benchmarks.rivals import seqpacket
from benchmarks.rivals._end import MAX_SIZE, End
from benchmarks.rivals.seqpacket import Seqpacket


class SleepingSeqpacket(Seqpacket):
    """A socket needs no arming, and nothing but a message makes it readable."""

    def __init__(self, sock: socket.socket) -> None:
        super().__init__(sock)
        self.poller = select.epoll()
        self.poller.register(self.fd, select.EPOLLIN)

    def receive(self) -> bytes:
        self.poller.poll()
        return os.read(self.fd, MAX_SIZE)

    receive_many = End.receive_many


def serve(folder: Path, ready: Callable[[], None]) -> End:
    return SleepingSeqpacket(seqpacket.accept(folder, ready))


def connect(folder: Path) -> End:
    return SleepingSeqpacket(seqpacket.dial(folder))
