"""Programs that share one endpoint under a lock: a sender and a receiver, each in an epoll set with a signalfd.

A signal to a process may be taken by any thread that does not block it, so each is a process of its own in which
none does: `python -m tests.event_channels.two_threads flood`.
"""

from __future__ import annotations

import itertools
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from typing import TypeVar

from comm_channel_compat import Again, Endpoint, PeerAddr
from tests.compat import support
from tests.processes import SOON_S
from tests.signalfd import signalfd

ROUNDS = 500
STOP, GO = signal.SIGUSR1, signal.SIGUSR2
T = TypeVar("T")


class Interrupted(Exception):
    """A signal came while a thread slept."""


class Shared:
    """The endpoint, its lock, and the descriptor that signals make readable."""

    def __init__(self, ep: Endpoint, stop_fd: int) -> None:
        self.ep = ep
        self.send_fd, self.recv_fd = ep.get_event_channel()
        self.stop_fd = stop_fd
        self.lock = threading.Lock()
        self.failures: list[BaseException] = []

    def _sleeping(self, arm: Callable[[], None], fd: int, call: Callable[..., T], *args: object) -> T:
        with select.epoll() as poller:
            poller.register(fd, select.EPOLLIN)
            poller.register(self.stop_fd, select.EPOLLIN)
            while True:
                with self.lock:
                    try:
                        return call(*args)
                    except Again:
                        arm()
                if any(ready == self.stop_fd for ready, _ in poller.poll()):
                    raise Interrupted

    def send(self, msg: bytes, peer: PeerAddr) -> None:
        self._sleeping(self.ep.event_handle_arm_send, self.send_fd, self.ep.sendto, msg, peer)

    def receive(self) -> tuple[bytes, PeerAddr]:
        return self._sleeping(self.ep.event_handle_arm_recv, self.recv_fd, self.ep.recvfrom, 100)

    def send_all(self, messages: Iterable[bytes], peer: PeerAddr) -> None:
        for msg in messages:
            self.send(msg, peer)

    def receive_all(self, count: int) -> list[bytes]:
        return [self.receive()[0] for _ in range(count)]

    def run(self, *works: Callable[[], object]) -> None:
        """Do the work of each in a thread of its own, and wait for them all; what they raise is in `failures`."""

        def guarded(work: Callable[[], object]) -> None:
            try:
                work()
            except BaseException as error:
                self.failures.append(error)

        threads = [threading.Thread(target=guarded, args=(work,), daemon=True) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SOON_S)
            assert not thread.is_alive()


def block_signals() -> int:
    """A signalfd, readable once STOP has come. Threads that are started later inherit that the signals are blocked."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {STOP, GO})
    return signalfd({STOP})


def flood(stop_fd: int) -> None:
    """Send ROUNDS messages to the first client, and receive as many. The sender sleeps in sigwait until it is known."""
    shared = Shared(support.service(), stop_fd)
    print("listening", flush=True)
    said, got = [b"%d" % number for number in range(ROUNDS)], list[bytes]()
    peers: list[PeerAddr] = []

    def send() -> None:
        signal.sigwait({GO})
        shared.send_all(said, peers[0])

    def receive() -> None:
        peers.append(shared.receive()[1])
        os.kill(os.getpid(), GO)
        got.extend(shared.receive_all(ROUNDS))

    shared.run(send, receive)
    assert shared.failures == []
    assert got == said


def rouse(stop_fd: int) -> None:
    """Sleep in both threads until STOP comes: nothing is there to read, no room to send, and the peer never reads."""
    pair = support.Pair()
    pair.introduce()
    shared = Shared(pair.client, stop_fd)
    print("up", flush=True)
    shared.run(
        lambda: shared.send_all(itertools.repeat(bytes(4000)), pair.to_service),
        shared.receive,
    )
    print(*(type(failure).__name__ for failure in shared.failures), flush=True)


if __name__ == "__main__":
    {"flood": flood, "rouse": rouse}[sys.argv[1]](block_signals())
    while support.made:
        support.made.pop().destroy()
