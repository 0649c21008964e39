"""What every rival offers: an end that sends and receives, and spins where it would have to wait."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

MAX_SIZE = 4080
QUEUE_SIZE = 1024  # messages; where a rival has queues of messages


class End(ABC):
    """One end of a connection. The loops are a rival's own where it has a faster way than these."""

    @abstractmethod
    def send(self, data: bytes) -> None:
        """Send one message, spinning while there is no room."""

    @abstractmethod
    def receive(self) -> bytes:
        """The next message, spinning until there is one."""

    @abstractmethod
    def send_many(self, data: bytes, count: int) -> None:
        """Send the same message `count` times."""

    @abstractmethod
    def receive_many(self, count: int) -> None:
        """Receive `count` messages and drop them."""

    @abstractmethod
    def close(self) -> None:
        """Leave."""

    def ping(self, data: bytes, count: int) -> list[int]:
        """Send a message and wait for the echo, `count` times; nanoseconds of each round trip."""
        send, receive, clock = self.send, self.receive, time.perf_counter_ns
        times = []
        for _ in range(count):
            before = clock()
            send(data)
            receive()
            times.append(clock() - before)
        return times

    def echo(self, count: int) -> None:
        """Send back `count` messages."""
        send, receive = self.send, self.receive
        for _ in range(count):
            send(receive())


class Rival(Protocol):
    """A module of this folder."""

    def serve(self, folder: Path, ready: Callable[[], None]) -> End:
        """Meet the other end in `folder`; `ready` is to be called as soon as it may connect."""

    def connect(self, folder: Path) -> End:
        """Meet the end that serves in `folder`."""
