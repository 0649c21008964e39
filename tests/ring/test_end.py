"""The end of a direction: what is in the queue stays readable, what is in flight is taken back."""

from __future__ import annotations

import threading

import pytest

from comch_next.driver.emulated._kernel.ring import lib
from tests.ring.ring import AGAIN, CLOSED, OK, Reader, Ring, ring, send


def test_queue_stays_and_flight_is_taken_back() -> None:
    with ring(10, 2, 3) as made:
        for number in range(5):
            made.send(b"%d" % number)
        assert lib.comch_cut(made.tx) == 2
        assert lib.comch_available(made.rx) == 2
        assert [made.receive(), made.receive(), made.receive()] == [b"0", b"1", AGAIN]


def test_nothing_is_accepted_afterwards() -> None:
    with ring() as made:
        lib.comch_cut(made.tx)
        assert made.send(b"x") == CLOSED
        assert lib.comch_check(made.tx) == CLOSED
        assert lib.comch_arm_space(made.tx) == 1, "an end is reason enough to wake"
        assert made.receive() == AGAIN


def test_twice_is_the_same() -> None:
    with ring(10, 1, 4) as made:
        for _ in range(3):
            made.send(b"x")
        assert lib.comch_cut(made.tx) == lib.comch_cut(made.tx) == 1
        assert lib.comch_completed(made.tx) == 1


def test_after_close_the_receiver_still_reads() -> None:
    with ring(10, 2, 3) as made:
        for number in range(5):
            made.send(b"%d" % number)
        made.sender.close()
        made.sender.close()
        assert [made.receive(), made.receive(), made.receive()] == [b"0", b"1", AGAIN]


def test_what_is_sent_after_the_receiver_has_left_reaches_no_queue() -> None:
    with ring(10, 4, 4) as made:
        made.send(b"read")
        made.send(b"waits")
        assert made.receive() == b"read"
        lib.comch_leave(made.rx)
        assert made.send(b"late") == OK, "the sender does not know yet"
        assert lib.comch_completed(made.tx) == 2
        assert lib.comch_arm_flight(made.tx, 3) == 0
        assert lib.comch_cut(made.tx) == 2


def test_what_was_in_flight_when_the_receiver_left_stays_in_flight() -> None:
    with ring(10, 1, 4) as made:
        for _ in range(3):
            made.send(b"x")
        lib.comch_leave(made.rx)
        assert lib.comch_completed(made.tx) == lib.comch_cut(made.tx) == 1


def _race(made: Ring, messages: int) -> tuple[int, int]:
    """Cut while another thread reads. What the sender was told, and what the reader got in the end."""
    start = threading.Barrier(2)
    got: list[bytes | int] = []

    def read() -> None:
        reader = Reader(made.receiver, size=64)
        start.wait()
        for _ in range(messages + 2):
            data = reader.data()
            if data != AGAIN:
                got.append(data)

    thread = threading.Thread(target=read)
    thread.start()
    start.wait()
    told = int(lib.comch_cut(made.tx))
    thread.join()
    while (data := made.receive()) != AGAIN:
        got.append(data)
    assert got == [b"%d" % number for number in range(len(got))]
    return told, len(got)


@pytest.mark.parametrize("limits", [(1, 7), (2, 30), (8, 8)], ids=str)
def test_a_cut_and_a_concurrent_reader_agree(limits: tuple[int, int]) -> None:
    """However the two interleave, the sender is told exactly how many messages the reader gets."""
    messages = sum(limits)
    for _ in range(400):
        made = Ring(10, *limits)
        try:
            for number in range(messages):
                assert send(made.tx, b"%d" % number) == OK
            told, got = _race(made, messages)
            assert told == got
        finally:
            made.close()
