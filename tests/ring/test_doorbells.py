"""Doorbells: rung only when armed, once per arming, and never missed."""

from __future__ import annotations

import select
import signal
import socket
import threading
from contextlib import suppress

from comch_next.driver.emulated._fabric.bells import new_bell
from comch_next.driver.emulated._kernel.ring import Receiver, Sender, lib
from tests.processes import StartPython
from tests.ring.ring import AGAIN, OK, Reader, Ring, ring, send

ROUNDS = 4000
WAIT_MS = 60_000


def rung(bell: int) -> bool:
    """Whether it has been, which is forgotten."""
    poller = select.poll()
    poller.register(bell, select.POLLIN)
    ringing = bool(poller.poll(0))
    assert lib.comch_drain(bell) == 0
    return ringing


def test_silent_until_armed_and_once_per_arming() -> None:
    with ring(10, 4, 4) as made:
        made.send(b"x")
        assert not rung(made.data_bell)
        assert made.receive() == b"x"
        assert lib.comch_arm_data(made.reader.poller) == 0
        made.send(b"x")
        made.send(b"x")
        assert rung(made.data_bell)
        made.send(b"x")
        assert not rung(made.data_bell)


def test_arming_tells_what_came_before() -> None:
    with ring(10, 4, 4) as made:
        made.send(b"x")
        assert lib.comch_arm_data(made.reader.poller) == 1


def test_whoever_finds_a_message_asks_for_no_bell() -> None:
    """It need not be woken, and a bell costs both sides a system call."""
    with ring(10, 4, 4) as made:
        made.send(b"x")
        assert lib.comch_arm_data(made.reader.poller) == 1
        made.send(b"x")
        assert not rung(made.data_bell)


def test_a_fault_counts_as_something_there() -> None:
    with ring(10, 4, 4) as made:
        made.words["head"] = 99
        assert lib.comch_arm_data(made.reader.poller) == 1


def test_space() -> None:
    with ring(10, 1, 1) as made:
        assert lib.comch_arm_space(made.tx) == 1, "there is room"
        made.send(b"x")
        made.send(b"x")
        assert made.send(b"x") == AGAIN
        assert lib.comch_arm_space(made.tx) == 0
        made.receive()
        assert rung(made.space_bell)
        made.receive()
        assert not rung(made.space_bell)


def test_flight() -> None:
    with ring(10, 1, 2) as made:
        for _ in range(3):
            made.send(b"x")
        assert lib.comch_arm_flight(made.tx, 1) == 1, "the first is in the queue"
        assert lib.comch_arm_flight(made.tx, 2) == 0
        made.receive()
        assert rung(made.space_bell)
        assert lib.comch_arm_flight(made.tx, 2) == 1


def test_a_bell_is_heard_out() -> None:
    """As often as anybody may have asked for; more is noise."""
    own, other = new_bell()
    with socket.socket(fileno=own), socket.socket(fileno=other) as there:
        there.send(b"x")
        there.send(b"a longer one")
        assert lib.comch_drain(own) == 0
        assert not rung(own)
        for _ in range(8):
            there.send(b"x")
        assert lib.comch_drain(own) == 1
        assert lib.comch_drain(own) == 0


def test_no_ringer_waits_and_none_is_killed() -> None:
    """However full the bell is and whatever was done to it, with SIGPIPE as a C program has it."""
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        with ring(10, 4, 4) as made:
            own, far = socket.socket(fileno=made.data_bell), socket.socket(fileno=made.far_data)
            far.setblocking(False)
            with suppress(BlockingIOError):
                while True:
                    far.send(b"x")
            far.setblocking(True)
            _armed_send(made)
            own.shutdown(socket.SHUT_RDWR)
            _armed_send(made)
            far.shutdown(socket.SHUT_RDWR)
            _armed_send(made)
            own.detach()
            far.detach()
    finally:
        signal.signal(signal.SIGPIPE, before)


def _armed_send(made: Ring) -> None:
    assert lib.comch_arm_data(made.reader.poller) == 0
    assert made.send(b"x") == OK
    assert made.receive() == b"x"


def _read_all(reader: Reader, bell: int, count: int) -> None:
    """Read `count` messages, asleep whenever there is none."""
    poller = select.poll()
    poller.register(bell, select.POLLIN)
    for number in range(count):
        while (data := reader.data()) == AGAIN:
            lib.comch_drain(bell)
            if not lib.comch_arm_data(reader.poller):
                assert poller.poll(WAIT_MS), f"slept past message {number}"
        assert data == b"%d" % number


def _send_all(tx: object, bell: int, count: int) -> None:
    """Send `count` messages, asleep whenever there is no room."""
    poller = select.poll()
    poller.register(bell, select.POLLIN)
    for number in range(count):
        while (result := send(tx, b"%d" % number)) == AGAIN:
            lib.comch_drain(bell)
            if not lib.comch_arm_space(tx):
                assert poller.poll(WAIT_MS), f"slept past the room for message {number}"
        assert result == OK


def test_no_wake_up_is_lost_between_threads() -> None:
    for limits in ((1, 1), (3, 2)):
        with ring(10, *limits) as made:
            sender = threading.Thread(target=_send_all, args=(made.tx, made.space_bell, ROUNDS))
            sender.start()
            try:
                _read_all(made.reader, made.data_bell, ROUNDS)
            finally:
                sender.join()


def echo(there: int, back: int, bells: list[int], count: int) -> None:
    """The other process: every message back, asleep in between."""
    receiver = Receiver(there, 10, 1, 1, bells[1]).attach()
    sender = Sender(back, 10, 1, 1, bells[2]).attach()
    reader = Reader(receiver)
    poller = select.poll()
    poller.register(bells[0], select.POLLIN)
    for _ in range(count):
        while isinstance(data := reader.data(), int):
            lib.comch_drain(bells[0])
            if not lib.comch_arm_data(reader.poller):
                assert poller.poll(WAIT_MS)
        assert send(sender.tx, data) == OK
    sender.close()
    receiver.close()


def test_no_wake_up_is_lost_between_processes(start_python: StartPython) -> None:
    """Ping-pong with both sides asleep between any two messages."""
    with ring(10, 1, 1) as there, ring(10, 1, 1) as back:
        fds = (there.fd, back.fd, there.data_bell, there.far_space, back.far_data)
        program = f"from tests.ring.test_doorbells import echo; echo({fds[0]}, {fds[1]}, {list(fds[2:])}, {ROUNDS})"
        child = start_python("-c", program, pass_fds=fds)
        poller = select.poll()
        poller.register(back.data_bell, select.POLLIN)
        for number in range(ROUNDS):
            assert there.send(b"%d" % number) == OK
            while (data := back.receive()) == AGAIN:
                lib.comch_drain(back.data_bell)
                if not lib.comch_arm_data(back.reader.poller):
                    assert poller.poll(WAIT_MS), f"slept past the echo of {number}"
            assert data == b"%d" % number
        assert child.finish().returncode == 0
