"""Several rings are read in the order in which their messages were sent."""

from __future__ import annotations

import random
from contextlib import ExitStack

from comch_next.driver.emulated._kernel.ring import ffi, lib
from tests.ring.ring import AGAIN, Reader, ring


def test_order_of_arrival_over_rings() -> None:
    rng = random.Random(3)
    with ExitStack() as stack:
        rings = [stack.enter_context(ring(20, 200, 200)) for _ in range(5)]
        reader = Reader(*(each.receiver for each in rings))
        sent = []
        for number in range(300):
            which = rng.randrange(5)
            rings[which].send(b"%d" % number)
            sent.append((which, b"%d" % number))
        assert [reader.next() for _ in sent] == sent
        assert reader.next() == AGAIN


def test_order_holds_when_rings_come_and_go() -> None:
    with ring(20, 9, 9) as first, ring(20, 9, 9) as second:
        reader = Reader(first.receiver)
        first.send(b"1")
        second.send(b"2")
        first.send(b"3")
        reader.follow(first.receiver, second.receiver)
        assert [reader.next() for _ in range(3)] == [(0, b"1"), (1, b"2"), (0, b"3")]
        second.send(b"4")
        reader.follow(second.receiver)
        assert reader.next() == (0, b"4")


def test_a_message_too_long_for_the_buffer_names_its_ring() -> None:
    with ring(20, 9, 9) as first, ring(20, 9, 9) as second:
        reader = Reader(first.receiver, second.receiver)
        second.send(b"longer")
        first.send(b"x")
        assert isinstance(reader.next(3), int)
        assert (reader.poller.index, reader.poller.length) == (1, 6)
        assert [reader.next(), reader.next()] == [(1, b"longer"), (0, b"x")]


def test_rings_that_were_empty_are_asked_in_a_later_turn() -> None:
    """With many rings asking them all is what a message costs; after one they are not asked again for nothing."""
    with ring(20, 9, 9) as first, ring(20, 9, 9) as second:
        reader = Reader(first.receiver, second.receiver)
        more = lib.comch_find_more
        reader.poller.pace.watched, reader.poller.pace.next = first.space_bell, (1 << 64) - 1  # no socket is ready
        first.send(b"one")
        assert reader.next() == (0, b"one")
        second.send(b"later")
        assert more(reader.poller) == AGAIN
        first.send(b"x")
        second.send(b"y")
        assert reader.next() == (1, b"later")
        assert more(reader.poller) >= 0, "the other ring had one, too"
        assert [reader.next(), reader.next()] == [(0, b"x"), (1, b"y")]


def test_after_a_message_sockets_are_polled_when_that_is_due() -> None:
    with ring(20, 9, 9) as made:
        lib.comch_polled(ffi.addressof(made.reader.poller, "pace"))
        made.send(b"x")
        assert made.receive() == b"x"
        lib.comch_hurry(ffi.addressof(made.reader.poller, "pace"))
        assert lib.comch_find_more(made.reader.poller) == lib.COMCH_POLL
