"""A copy from one shared mapping to another in one process: what nobody who carries large buffers can beat."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import comch_next as comch
from benchmarks._plan import BULK_BUFFERS, BULK_SIZE
from benchmarks.rivals._end import End
from comch_next import AccessFlag


class Copies(End):
    """The measuring end: as many buffers in turn as the fast path has, in maps of the same kind.

    To receive is to copy back, so that a round trip is two copies.
    """

    def __init__(self) -> None:
        device = comch.open_device("b1:00.0")
        size = BULK_SIZE * BULK_BUFFERS
        ends = [comch.Mmap(device, size, AccessFlag.PCI_READ_WRITE).view for _ in range(2)]
        self.buffers = [tuple(end[at : at + BULK_SIZE] for end in ends) for at in range(0, size, BULK_SIZE)]
        self.turn = 0

    def next_buffers(self) -> tuple[memoryview, ...]:
        self.turn += 1
        return self.buffers[self.turn % BULK_BUFFERS]

    def send(self, data: bytes) -> None:
        here, there = self.next_buffers()
        there[:] = here

    def receive(self) -> bytes:
        here, there = self.next_buffers()
        here[:] = there
        return b""

    def send_many(self, data: bytes, count: int) -> None:
        for _ in range(count):
            self.send(data)

    def receive_many(self, count: int) -> None:
        for _ in range(count):
            self.receive()

    def close(self) -> None:
        """The process ends, and its memory with it."""


class Nobody(End):
    """The serving end has nothing to do."""

    def send(self, data: bytes) -> None:
        """Nobody listens."""

    def receive(self) -> bytes:
        return b""

    def send_many(self, data: bytes, count: int) -> None:
        """Nobody listens."""

    def receive_many(self, count: int) -> None:
        """Nobody speaks."""

    def close(self) -> None:
        """There is nothing to leave."""


def serve(folder: Path, ready: Callable[[], None]) -> End:
    ready()
    return Nobody()


def connect(folder: Path) -> End:
    return Copies()
