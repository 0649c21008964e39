"""pyzmq: a PAIR of sockets over ipc."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import zmq

from benchmarks.rivals._end import End, unpin_helpers


class Pair(End):
    """It blocks instead of spinning: its own I/O thread needs the processor that a spinning main thread would
    take."""

    def __init__(self, name: str, folder: Path, *, bind: bool) -> None:
        self.context = zmq.Context()
        self.socket = self.context.socket(zmq.PAIR)
        address = f"ipc://{folder / name}"
        if bind:
            self.socket.bind(address)
        else:
            self.socket.connect(address)
        unpin_helpers()

    def send(self, data: bytes) -> None:
        self.socket.send(data)

    def receive(self) -> bytes:
        message: bytes = self.socket.recv()
        return message

    def send_many(self, data: bytes, count: int) -> None:
        send = self.socket.send
        for _ in range(count):
            send(data)

    def receive_many(self, count: int) -> None:
        recv = self.socket.recv
        for _ in range(count):
            recv()

    def close(self) -> None:
        self.socket.close(linger=1000)
        self.context.term()


def serve(folder: Path, ready: Callable[[], None]) -> End:
    end = Pair("zmq", folder, bind=True)
    ready()
    return end


def connect(folder: Path) -> End:
    return Pair("zmq", folder, bind=False)
