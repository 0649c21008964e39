"""Stamps say in which order messages are received; a sender that forges its own gains little."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.ring.ring import OK, Reader, Ring, ring

LIMIT = 16  # messages that fit


@pytest.fixture
def rings() -> Iterator[tuple[Ring, Ring]]:
    with ExitStack() as stack:
        liar, honest = (stack.enter_context(ring(100, LIMIT // 2, LIMIT // 2)) for _ in range(2))
        yield liar, honest


def forge(liar: Ring, stamp: int) -> None:
    """Give every record in the ring this stamp."""
    pos = 0
    while pos + 16 <= liar.rx.capacity:
        liar.words.set_stamp(pos, stamp)
        pos += 16


@pytest.mark.parametrize("stamp", [0, 1, (1 << 64) - 1])
def test_a_forger_that_never_stops_holds_nobody_up(rings: tuple[Ring, Ring], stamp: int) -> None:
    """Its ring is never empty and every stamp is older than everybody's: others come after two of its rings."""
    liar, honest = rings
    reader = Reader(liar.receiver, honest.receiver)
    while liar.send(b"me first") == OK:
        forge(liar, stamp)
    honest.send(b"fair")
    for turn in range(10 * LIMIT):
        found = reader.next()
        assert isinstance(found, tuple)
        if found[0] == 1:
            assert turn <= 2 * LIMIT
            return
        assert liar.send(b"me first") == OK
        forge(liar, stamp)
    raise AssertionError("the honest one has starved")


def test_the_order_of_the_honest_stays(rings: tuple[Ring, Ring]) -> None:
    """Whatever lies in the rings when the reader comes late, round after round."""
    one, other = rings
    reader = Reader(one.receiver, other.receiver)
    for round_ in range(10):
        sent = []
        for number in range(LIMIT):
            for index, sender in ((0, one), (1, other)) if number % 3 else ((1, other), (0, one)):
                data = b"%d %d %d" % (round_, number, index)
                assert sender.send(data) == OK
                sent.append((index, data))
        assert [reader.next() for _ in sent] == sent
