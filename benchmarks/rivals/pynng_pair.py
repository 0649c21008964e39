"""pynng: a Pair0 of sockets over ipc."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pynng

from benchmarks.rivals._end import QUEUE_SIZE, End, unpin_helpers


class Pair(End):
    """It blocks, because its own threads do the sending and receiving and need a processor."""

    def __init__(self, **place: str) -> None:
        self.socket = pynng.Pair0(send_buffer_size=QUEUE_SIZE, recv_buffer_size=QUEUE_SIZE, **place)
        unpin_helpers()

    def send(self, data: bytes) -> None:
        self.socket.send(data)

    def receive(self) -> bytes:
        message: bytes = self.socket.recv()
        return message

    def close(self) -> None:
        self.socket.close()


def _address(folder: Path) -> str:
    return f"ipc://{folder / 'nng'}"


def serve(folder: Path, ready: Callable[[], None]) -> End:
    end = Pair(listen=_address(folder))
    ready()
    return end


def connect(folder: Path) -> End:
    return Pair(dial=_address(folder))
