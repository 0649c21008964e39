"""Waiting on descriptors as old programs do, and a program at the other end in another process."""

from __future__ import annotations

import select
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from comm_channel_compat import Again, Endpoint, PeerAddr
from tests.processes import SOON_S
from tests.pull.support import helpers_rest, until

__all__ = ["ALOOF", "CLIENT", "DRIVERS", "SERVICE", "SOON_S", "epoll", "fill", "ready", "settles", "sleep_until"]

# For a child that sends without receiving meanwhile: two such on threaded ports may wait for each other for ever.
DRIVERS = {"COMCH_PULL": "driver"}

# What both programs do with the lines of their standard input; they never poll, but sleep in epoll.
_OBEY = """
def wait(arm, fd):
    with select.epoll() as poller:
        arm()
        poller.register(fd, select.EPOLLIN)
        poller.poll()

def sleeping(arm, fd, call, *args):
    while True:
        try:
            return call(*args)
        except Again:
            wait(arm, fd)

def obey(ep, peer):
    send_fd, recv_fd = ep.get_event_channel()
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "send":
            sleeping(ep.event_handle_arm_send, send_fd, ep.sendto, rest.encode(), peer)
        elif word == "flood":
            for number in range(int(rest)):
                sleeping(ep.event_handle_arm_send, send_fd, ep.sendto, b"%d" % number, peer)
        elif word == "receive":
            for _ in range(int(rest)):
                sleeping(ep.event_handle_arm_recv, recv_fd, ep.recvfrom, 100)
        elif word == "echo":
            for _ in range(int(rest)):
                msg, peer = sleeping(ep.event_handle_arm_recv, recv_fd, ep.recvfrom, 100)
                sleeping(ep.event_handle_arm_send, send_fd, ep.sendto, msg, peer)
        elif word == "disconnect":
            ep.disconnect(peer)
        print(word, flush=True)
"""

_HEAD = f"""
import select, sys
from contextlib import suppress
from comm_channel_compat import *
from tests.compat import support
{_OBEY}
"""

CLIENT = f"""{_HEAD}
ep = support.client(send_queue_size=8, recv_queue_size=8)
peer = ep.connect("svc")
print("connecting", flush=True)
send_fd, recv_fd = ep.get_event_channel()
sleeping(ep.event_handle_arm_send, send_fd, ep.sendto, b"hello", peer)
obey(ep, peer)
"""

SERVICE = f"""{_HEAD}
ep = support.service(send_queue_size=8, recv_queue_size=8)
print("listening", flush=True)
send_fd, recv_fd = ep.get_event_channel()
msg = None
while msg is None:
    with suppress(ConnectionReset):  # of a client that broke its handshake off
        msg, peer = sleeping(ep.event_handle_arm_recv, recv_fd, ep.recvfrom, 100)
obey(ep, peer)
"""


# It lets nobody in, and destroys its endpoint when it is asked to end.
ALOOF = f"""{_HEAD}
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
ep = support.service()
print("listening", flush=True)
signal.sigwait([signal.SIGTERM])
ep.destroy()
"""


@contextmanager
def epoll(fd: int) -> Iterator[select.epoll]:
    """An epoll set of one descriptor."""
    with select.epoll() as poller:
        poller.register(fd, select.EPOLLIN)
        yield poller


def ready(fd: int, timeout_s: float = 0.0) -> bool:
    """Whether the descriptor becomes readable within the time; epoll and poll never contradict each other."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    with epoll(fd) as poller:
        first = bool(poller.poll(timeout_s))
        found = bool(poll.poll(0))
        assert found or not first
        assert not found or poller.poll(0)  # what became ready between the two
    return found


def fill(ep: Endpoint, peer: PeerAddr) -> int:
    """Send 0, 1, 2, ... until AGAIN, for good: the send descriptor is armed and at rest. How many were accepted."""
    fd, count = ep.get_event_channel()[0], 0
    while count < 10_000:
        try:
            ep.sendto(b"%d" % count, peer)
            count += 1
        except Again:
            until(helpers_rest)
            ep.event_handle_arm_send()
            if not ready(fd):
                return count
    raise AssertionError("it never fills")


def settles(fd: int, arm: Callable[[], None]) -> bool:
    """Whether the descriptor, armed again and again, comes to rest: nothing is left to tell."""
    for _ in range(1000):
        arm()
        if not ready(fd, 0.005):
            return True
    return False


def sleep_until(ep: Endpoint, check: Callable[[], object]) -> None:
    """Arm, check, and sleep without a time-out; the test's own deadline ends a lost wake-up."""
    _, recv_fd = ep.get_event_channel()
    with epoll(recv_fd) as poller:
        while True:
            ep.event_handle_arm_recv()
            if check():
                return
            assert poller.poll()
