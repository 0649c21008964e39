"""AF_UNIX SOCK_SEQPACKET, non-blocking: what the kernel gives without any library."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

from benchmarks.rivals._end import MAX_SIZE, End


class Seqpacket(End):
    """os.read and os.write on the descriptor, which are a little faster than the socket's methods."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self.sock = sock
        self.fd = sock.fileno()

    def send(self, data: bytes) -> None:
        while True:
            try:
                os.write(self.fd, data)
                return
            except BlockingIOError:
                pass

    def receive(self) -> bytes:
        while True:
            try:
                return os.read(self.fd, MAX_SIZE)
            except BlockingIOError:
                pass

    def send_many(self, data: bytes, count: int) -> None:
        fd, write = self.fd, os.write
        while count:
            try:
                write(fd, data)
                count -= 1
            except BlockingIOError:
                pass

    def receive_many(self, count: int) -> None:
        fd, read = self.fd, os.read
        while count:
            try:
                read(fd, MAX_SIZE)
                count -= 1
            except BlockingIOError:
                pass

    def close(self) -> None:
        self.sock.close()


def accept(folder: Path, ready: Callable[[], None]) -> socket.socket:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(folder / "seqpacket"))
        listener.listen(1)
        ready()
        return listener.accept()[0]


def dial(folder: Path) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    sock.connect(str(folder / "seqpacket"))
    return sock


def serve(folder: Path, ready: Callable[[], None]) -> End:
    return Seqpacket(accept(folder, ready))


def connect(folder: Path) -> End:
    return Seqpacket(dial(folder))
