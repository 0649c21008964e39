"""Several rings are read in the order in which their messages were sent."""

from __future__ import annotations

import random
from contextlib import ExitStack

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
