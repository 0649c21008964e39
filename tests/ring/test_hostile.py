"""The other side may write anything at any time: a lie is noticed or harmless, and never leads out of the ring."""

from __future__ import annotations

import random

import pytest

from comch_next.driver.emulated._kernel.ring import lib
from tests.ring.ring import AGAIN, CORRUPT, NO_CUT, OK, Reader, footprint, ring

# What the sender writes, as the receiver must see through it


@pytest.mark.parametrize("head", [-1, 1 << 63, (1 << 64) - 1, 1000, 12], ids=hex)
def test_head_backwards_or_beyond(head: int) -> None:
    with ring(100, 4, 4) as made:
        for _ in range(3):
            made.send(b"good")
        assert made.receive() == b"good"
        made.words["head"] = head
        assert lib.comch_available(made.rx) == CORRUPT
        assert made.receive() == CORRUPT
        assert made.reader.poller.index == 0


def test_head_back_before_what_was_read() -> None:
    with ring(100, 4, 4) as made:
        for _ in range(3):
            made.send(b"good")
            made.receive()
        made.words["head"] = 1
        assert made.receive() == CORRUPT


@pytest.mark.parametrize("length", [101, 0xFFFFFFFF, 0xFFFFFFF0, 1 << 31, 4096], ids=hex)
def test_length_above_the_limit(length: int) -> None:
    with ring(100, 4, 4) as made:
        made.send(b"good")
        made.words.set_length(0, length)
        assert made.receive() == CORRUPT
        assert made.receive(1 << 16) == CORRUPT, "it stays corrupt"


def test_length_crossing_the_end() -> None:
    """A record whose header lies inside, with more bytes than remain before the end."""
    with ring(4080, 1, 1) as made:
        reader_pos = 0
        while made.rx.capacity - reader_pos >= 2 * footprint(4080):
            # Kept non-empty, so that the sender has no reason to go back to the start.
            made.send(b"x" * 4080)
            made.send(b"x" * 4080)
            made.receive()
            reader_pos = int(made.rx.pos)
            made.receive()
            made.rx.pos = reader_pos + footprint(4080)
        made.words["head"] = made.rx.tail + 1
        made.words["jump"] = NO_CUT
        made.rx.pos = made.rx.capacity - 64
        made.words.set_length(int(made.rx.pos), 49)
        assert made.receive() == CORRUPT
        made.words.set_length(int(made.rx.pos), 48)
        assert isinstance(made.receive(), bytes)


def test_no_jump_at_the_end() -> None:
    """The sender goes on at the start and does not say so: there is no record at the end."""
    with ring(100, 2, 2) as made:
        made.send(b"x")
        made.receive()
        made.words["head"] = 2
        made.words["jump"] = 77
        made.rx.pos = made.rx.capacity
        assert made.receive() == CORRUPT


@pytest.mark.parametrize("jump", [0, 1, 2, 3, NO_CUT], ids=hex)
def test_jump_anywhere_stays_inside(jump: int) -> None:
    with ring(100, 4, 4) as made:
        for number in range(4):
            made.send(b"%d" % number)
        made.receive()
        made.words["jump"] = jump
        for _ in range(6):
            found = made.receive()
            assert found in (AGAIN, CORRUPT) or isinstance(found, bytes)
            assert 0 <= made.rx.pos <= made.rx.capacity


@pytest.mark.parametrize("cut", [0, 1, 2, 1 << 63, NO_CUT], ids=hex)
def test_cut_back_and_forth_only_hides(cut: int) -> None:
    with ring(100, 4, 4) as made:
        for _ in range(3):
            made.send(b"good")
        made.receive()
        made.words["cut"] = cut
        assert lib.comch_available(made.rx) == max(0, min(3, cut) - 1)
        made.words["cut"] = NO_CUT
        assert made.receive() == b"good"


@pytest.mark.parametrize("stamp", [(1 << 64) - 1, 1 << 63], ids=hex)
def test_stamp_in_the_future_delays_nobody(stamp: int) -> None:
    with ring() as liar, ring() as honest:
        reader = Reader(liar.receiver, honest.receiver)
        liar.send(b"lie")
        liar.words.set_stamp(0, stamp)
        assert reader.next() == (0, b"lie")
        for number in range(3):
            honest.send(b"%d" % number)
            assert reader.next() == (1, b"%d" % number)
        liar.send(b"late")
        assert reader.next() == (0, b"late")


def test_stamp_in_the_past_gains_nothing() -> None:
    """The ring was seen empty, so its message came after what had been waiting elsewhere then."""
    with ring() as liar, ring() as honest:
        reader = Reader(liar.receiver, honest.receiver)
        honest.send(b"1")
        honest.send(b"2")
        assert reader.next() == (1, b"1")
        liar.send(b"lie")
        liar.words.set_stamp(0, 0)
        assert [reader.next(), reader.next()] == [(1, b"2"), (0, b"lie")]


def test_one_liar_does_not_hide_the_others() -> None:
    with ring() as liar, ring() as honest:
        reader = Reader(liar.receiver, honest.receiver)
        honest.send(b"x")
        liar.words["head"] = 99
        assert reader.next() == CORRUPT
        assert reader.poller.index == 0
        reader.follow(honest.receiver)
        assert reader.next() == (0, b"x")


# What the receiver writes, as the sender must see through it


@pytest.mark.parametrize("tail", [4, 1 << 63, (1 << 64) - 1], ids=hex)
def test_tail_beyond_what_was_sent(tail: int) -> None:
    with ring(100, 1, 2) as made:
        for _ in range(3):
            made.send(b"x")
        made.words["tail"] = tail
        assert made.send(b"x") == CORRUPT
        assert lib.comch_check(made.tx) == CORRUPT
        assert lib.comch_arm_space(made.tx) == 1, "whoever waits for room hears of it"


def test_tail_backwards() -> None:
    with ring(100, 1, 2) as made:
        for _ in range(3):
            made.send(b"x")
        made.receive()
        made.receive()
        assert lib.comch_completed(made.tx) == 3
        made.words["tail"] = 1
        assert lib.comch_check(made.tx) == CORRUPT


@pytest.mark.parametrize("tail_pos", [8, 1, 17, 1 << 40, NO_CUT], ids=hex)
def test_tail_pos_unaligned_or_outside(tail_pos: int) -> None:
    with ring(100, 1, 2) as made:
        for _ in range(3):
            made.send(b"x")
        made.words["tail"] = 1
        made.words["tail_pos"] = tail_pos
        assert made.send(b"x") == CORRUPT


def test_tail_pos_anywhere_inside_never_leads_out() -> None:
    """A reader that lies plausibly harms its own messages only."""
    rng = random.Random(9)
    with ring(100, 2, 2) as made:
        capacity = int(made.tx.capacity)
        for _ in range(5000):
            made.words["tail"] = rng.randint(int(made.tx.tail), int(made.tx.head))
            made.words["tail_pos"] = rng.randrange(0, capacity + 1, 16)
            assert made.send(rng.randbytes(rng.randint(0, 100))) in (OK, AGAIN)
            assert made.tx.pos <= capacity


@pytest.mark.parametrize("claim", [0, 3, 5, 6, 1 << 63, NO_CUT], ids=hex)
def test_claim_beyond_what_was_sent_is_ignored(claim: int) -> None:
    with ring(100, 2, 3) as made:
        for _ in range(5):
            made.send(b"x")
        made.words["claim"] = claim
        assert lib.comch_cut(made.tx) == (claim if 2 < claim <= 5 else 2)


@pytest.mark.parametrize(("left", "reached"), [(0, 4), (1, 2), (2, 2), (4, 3), (6, 4)])
def test_a_leave_takes_back_nothing_that_was_read(left: int, reached: int) -> None:
    """Of five messages two were read, and two wait in the queue."""
    with ring(100, 2, 3) as made:
        for _ in range(5):
            made.send(b"x")
        assert [made.receive(), made.receive()] == [b"x", b"x"]
        made.words["left"] = left
        assert lib.comch_completed(made.tx) == reached


@pytest.mark.parametrize("left", [7, 1 << 63, NO_CUT], ids=hex)
def test_a_leave_after_more_than_was_sent_is_noticed(left: int) -> None:
    with ring(100, 2, 3) as made:
        for _ in range(5):
            made.send(b"x")
        made.words["left"] = left
        assert lib.comch_check(made.tx) == CORRUPT
