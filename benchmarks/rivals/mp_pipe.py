"""multiprocessing.Pipe: its Connection over a stream socket, as Pipe() itself makes it."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path

from benchmarks.rivals._end import End


class Pipe(End):
    """Made non-blocking, because poll() before every receive costs more than the message.

    That is safe here: a message below 16 KiB is written together with its length, whole or not at all.
    """

    def __init__(self, connection: Connection) -> None:
        os.set_blocking(connection.fileno(), False)
        self.connection = connection

    def send(self, data: bytes) -> None:
        while True:
            try:
                self.connection.send_bytes(data)
                return
            except BlockingIOError:
                pass

    def receive(self) -> bytes:
        while True:
            try:
                return self.connection.recv_bytes()
            except BlockingIOError:
                pass

    def send_many(self, data: bytes, count: int) -> None:
        send_bytes = self.connection.send_bytes
        while count:
            try:
                send_bytes(data)
                count -= 1
            except BlockingIOError:
                pass

    def receive_many(self, count: int) -> None:
        recv_bytes = self.connection.recv_bytes
        while count:
            try:
                recv_bytes()
                count -= 1
            except BlockingIOError:
                pass

    def close(self) -> None:
        self.connection.close()


def serve(folder: Path, ready: Callable[[], None]) -> End:
    with Listener(str(folder / "pipe"), "AF_UNIX") as listener:
        ready()
        return Pipe(listener.accept())


def connect(folder: Path) -> End:
    return Pipe(Client(str(folder / "pipe"), "AF_UNIX"))
