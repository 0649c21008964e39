"""What every rival offers: an end that sends and receives, and spins (or sleeps in epoll) where it has to wait."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from benchmarks._plan import Plan

MAX_SIZE = 4080
QUEUE_SIZE = 1024  # messages; where a rival has queues of messages


class End(ABC):
    """One end of a connection. The loops are a rival's own where it has a faster way than these."""

    @abstractmethod
    def send(self, data: bytes) -> None:
        """Send one message, waiting while there is no room."""

    @abstractmethod
    def receive(self) -> bytes:
        """The next message, waiting until there is one."""

    def send_many(self, data: bytes, count: int) -> None:
        """Send the same message `count` times."""
        send = self.send
        for _ in range(count):
            send(data)

    def receive_many(self, count: int) -> None:
        """Receive `count` messages and drop them."""
        receive = self.receive
        for _ in range(count):
            receive()

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

    def percentiles(self, data: bytes, plan: Plan) -> dict[str, float]:
        """Warm up, then the plan's round trips: their p50 and p99 in microseconds."""
        self.ping(data, plan.warm_up)
        times = sorted(self.ping(data, plan.pings))
        return {"p50_us": times[len(times) // 2] / 1000, "p99_us": times[len(times) * 99 // 100] / 1000}

    def echo(self, count: int) -> None:
        """Send back `count` messages."""
        send, receive = self.send, self.receive
        for _ in range(count):
            send(receive())


def unpin_helpers() -> None:
    """Only the main thread stays on its processor: there a library's own threads would wait for its time slice."""
    for thread in os.listdir("/proc/self/task"):
        if int(thread) != os.getpid():
            os.sched_setaffinity(int(thread), range(os.cpu_count() or 1))


class Rival(Protocol):
    """A module of this folder."""

    def serve(self, folder: Path, ready: Callable[[], None]) -> End:
        """Meet the other end in `folder`; `ready` is to be called as soon as it may connect."""

    def connect(self, folder: Path) -> End:
        """Meet the end that serves in `folder`."""
