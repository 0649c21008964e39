"""Programs that sleep in epoll without a time-out while another process sends; a lost wake-up hangs the test."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from comm_channel_compat import Again, ConnectionReset, Endpoint
from tests.compat import support
from tests.differences import differs
from tests.event_channels.support import CLIENT, DRIVERS, SERVICE, SOON_S, epoll, sleep_until
from tests.processes import StartPython, Threads
from tests.pull.support import until

pytestmark = pytest.mark.usefixtures("form")

ROUNDS = 10_000


def test_a_service_sleeps_through_a_whole_life(
    threads: Threads, service: Endpoint, start_python: StartPython, form: str
) -> None:
    child = start_python("-c", CLIENT)
    got: list[bytes] = []

    def take(wanted: int) -> bool:
        while True:
            try:
                got.append(service.recvfrom(100)[0])
            except Again:
                return len(got) >= wanted

    sleep_until(service, lambda: take(1))
    child.say("".join(f"send {number}\n" for number in range(20)))
    sleep_until(service, lambda: take(21))
    assert got == [b"hello", *(b"%d" % number for number in range(20))]
    child.signal(signal.SIGKILL)
    with pytest.raises(ConnectionReset):
        sleep_until(service, lambda: take(22))
    assert threads() == (1 if differs(form, "idle") else 0)


@pytest.mark.parametrize("role", ["service", "client"])
def test_a_program_that_sleeps_has_one_thread(start_python: StartPython, form: str, role: str) -> None:
    """As the kernel counts them, while the program sleeps in epoll; a message rouses it then."""
    listener = start_python("-c", SERVICE)
    listener.wait_for("listening")
    caller = start_python("-c", CLIENT)
    caller.wait_for("connecting")
    sleeper, other = (listener, caller) if role == "service" else (caller, listener)
    sleeper.say("receive 1\n")
    until(lambda: _asleep(sleeper.pid))
    assert len(os.listdir(f"/proc/{sleeper.pid}/task")) == (2 if differs(form, "idle") else 1)
    other.say("send wake up\n")
    sleeper.wait_for("receive")


def _asleep(pid: int) -> bool:
    """Whether the first thread of a process sleeps, and not for a line on its input."""
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
    return state == "S" and "pipe" not in Path(f"/proc/{pid}/wchan").read_text()


def test_a_sender_sleeps_until_there_is_room(start_python: StartPython) -> None:
    child = start_python("-c", SERVICE)
    child.wait_for("listening")
    client = support.client(send_queue_size=8, recv_queue_size=8)
    peer = client.connect(support.NAME)
    send_fd, _ = client.get_event_channel()
    child.say(f"receive {ROUNDS - 1}\n")
    with epoll(send_fd) as poller:
        for number in range(ROUNDS):
            while True:
                try:
                    client.sendto(b"%d" % number, peer)
                    break
                except Again:
                    client.event_handle_arm_send()
                    assert poller.poll(SOON_S), f"round {number} lost its wake-up"
    child.wait_for("receive")


def test_both_directions_at_once(service: Endpoint, start_python: StartPython) -> None:
    """Each side floods the other and sleeps for room and for messages in one set."""
    child = start_python("-c", CLIENT, env=DRIVERS)
    rounds, sent, got = 300, 0, 0
    peer = support.eventually(service.recvfrom, 100)[1]
    send_fd, recv_fd = service.get_event_channel()
    child.say(f"echo {rounds}\n")
    with epoll(send_fd) as poller:
        poller.register(recv_fd)
        while got < rounds:
            service.event_handle_arm_send()
            service.event_handle_arm_recv()
            try:
                while sent < rounds:
                    service.sendto(b"%d" % sent, peer)
                    sent += 1
            except Again:
                pass
            try:
                while got < rounds:
                    assert service.recvfrom(100)[0] == b"%d" % got
                    got += 1
            except Again:
                poller.poll() if sent < rounds else _sleep_on(recv_fd)
    child.wait_for("echo")


def _sleep_on(fd: int) -> None:
    """There is always room when nothing is left to send, so only the other direction can be slept for."""
    with epoll(fd) as poller:
        poller.poll()


def test_ten_thousand_rounds_lose_no_wake_up(service: Endpoint, start_python: StartPython) -> None:
    child = start_python("-c", CLIENT)
    peer = support.eventually(service.recvfrom, 100)[1]
    _, recv_fd = service.get_event_channel()
    child.say(f"echo {ROUNDS}\n")
    with epoll(recv_fd) as poller:
        for number in range(ROUNDS):
            service.sendto(b"?", peer)
            for _ in range(number * 7 % 400):  # so that arming meets the arrival at every point
                pass
            while True:
                try:
                    assert service.recvfrom(100)[0] == b"?"
                    break
                except Again:
                    service.event_handle_arm_recv()
                    assert poller.poll(SOON_S), f"round {number} lost its wake-up"
    child.wait_for("echo")
