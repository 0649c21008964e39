"""One endpoint under the program's lock: a sender and a receiver, each in an epoll set with a signalfd beside it."""

from __future__ import annotations

import ctypes
import itertools
import os
import select
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from comm_channel_compat import Again, Endpoint, PeerAddr
from tests.compat import support
from tests.event_channels.support import CLIENT, DRIVERS
from tests.processes import StartPython

pytestmark = [pytest.mark.usefixtures("form"), pytest.mark.timeout(30)]

ROUNDS = 500
T = TypeVar("T")


STOP, GO = signal.SIGUSR1, signal.SIGUSR2


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

    def thread(self, work: Callable[[], object]) -> threading.Thread:
        def guarded() -> None:
            try:
                work()
            except BaseException as error:
                self.failures.append(error)

        thread = threading.Thread(target=guarded, daemon=True)
        thread.start()
        return thread


@pytest.fixture
def stop_fd() -> Iterator[int]:
    """A signalfd, readable once STOP has come. Ask for it first: threads inherit that the signals are blocked."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {STOP, GO})
    mask = (ctypes.c_uint64 * 16)(1 << (STOP - 1))  # sigset_t
    fd = ctypes.CDLL(None, use_errno=True).signalfd(-1, mask, os.O_CLOEXEC | os.O_NONBLOCK)
    assert fd >= 0, os.strerror(ctypes.get_errno())
    yield fd
    os.close(fd)
    while signal.sigtimedwait({STOP, GO}, 0) is not None:
        pass  # what nobody has taken would end the process when it is unblocked
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def test_sender_and_receiver_flood_at_once(stop_fd: int, service: Endpoint, start_python: StartPython) -> None:
    """The sender sleeps in sigwait until the receiver has published the first peer."""
    child = start_python("-c", CLIENT, env=DRIVERS)
    shared = Shared(service, stop_fd)
    said, got = [b"%d" % number for number in range(ROUNDS)], list[bytes]()
    peers: list[PeerAddr] = []

    def send() -> None:
        signal.sigwait({GO})
        shared.send_all(said, peers[0])

    def receive() -> None:
        peers.append(shared.receive()[1])
        assert sender.ident is not None
        signal.pthread_kill(sender.ident, GO)
        got.extend(shared.receive_all(ROUNDS))

    child.say(f"echo {ROUNDS}\n")
    sender = shared.thread(send)
    for thread in (sender, shared.thread(receive)):
        thread.join(20)
        assert not thread.is_alive()
    assert shared.failures == []
    assert got == said
    child.wait_for("echo")


def test_a_signal_rouses_both(stop_fd: int, pair: support.Pair) -> None:
    """The receiver has nothing to read, the sender no room and a peer that never reads."""
    pair.introduce()
    shared = Shared(pair.client, stop_fd)
    threads = [
        shared.thread(lambda: shared.send_all(itertools.repeat(bytes(4000)), pair.to_service)),
        shared.thread(shared.receive),
    ]
    os.kill(os.getpid(), STOP)
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive()
    assert [type(failure) for failure in shared.failures] == [Interrupted, Interrupted]


SAMPLES = {
    "old": ("-m", "comm_channel_compat", "run", "samples_legacy/two_threads_service.py"),
    "new": ("samples_new/two_threads_service.py",),
}


@pytest.mark.parametrize("manner", SAMPLES)
def test_a_sample_that_waits_ends_by_a_signal(start_python: StartPython, manner: str, runtime_dir: Path) -> None:
    child = start_python(*SAMPLES[manner])
    child.wait_for("listening")
    child.signal(signal.SIGINT)
    child.finish()
    assert list(runtime_dir.iterdir()) == []  # it left in order
