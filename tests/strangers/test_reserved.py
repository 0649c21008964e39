"""What is reserved is zero: a peer that sets it speaks another language, and is told so by losing its connection."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

import comch_next as comch
from comch_next import ErrorCode
from comch_next.driver.emulated._fabric import handshake as fabric
from comch_next.driver.emulated._fabric.offers import NEW, News, Offer, make_posts
from comch_next.driver.emulated._kernel.memory import make_shared
from tests.control_path.pair import Side, leave, server, until
from tests.fabric.hostile import attacker, bells, close_all
from tests.ring.ring import CORRUPT, OK, PAGE, ring


@pytest.fixture
def there() -> Iterator[Side]:
    made = server()
    made.context.start()
    yield made
    leave(made)


@pytest.mark.parametrize("strict", [2, 3, 0x8000, 0xFFFF])
def test_bits_of_a_greeting(there: Side, runtime_dir: Path, strict: int) -> None:
    with attacker(runtime_dir) as bad:
        fds = bells(1)
        bad.say(struct.pack("<4sHHIII", b"CMCH", fabric.VERSION, strict, 4080, 64, 64), fds)
        close_all(fds)
        there.engine.wait(1.0)
        there.engine.progress()
        assert bad.code() == ErrorCode.INVALID_VALUE
    assert there.up == []


@pytest.mark.parametrize("strict", [2, 0x8001])
def test_bits_of_a_welcome(strict: int) -> None:
    good = fabric.Welcome(ErrorCode.SUCCESS, fabric.Terms(4080, False, 64, 64)).encode()
    fabric.Welcome.decode(good)
    with pytest.raises(comch.ConnectionAborted):
        fabric.Welcome.decode(good[:6] + struct.pack("<H", strict) + good[8:])


@pytest.mark.parametrize("reserved", [1, 0x80000000])
def test_bits_of_a_record(reserved: int) -> None:
    with ring() as made:
        assert made.send(b"good") == OK
        made.words.map[PAGE + 4 : PAGE + 8] = reserved.to_bytes(4, "little")
        assert made.receive() == CORRUPT


@pytest.mark.parametrize("place", [5, 6, 7])
def test_bits_of_the_news_of_a_consumer(there: Side, runtime_dir: Path, place: int) -> None:
    """The same news without them is heard."""
    with attacker(runtime_dir) as bad:
        bad.greet()
        until(lambda: there.up, there.engine)
        for flaw in (0, 1):
            offer = Offer(2 + flaw, 1, 0, PAGE, [])
            offer.fds = [make_posts(1, 0), make_shared("memory", PAGE, commit=True), *bells(1)]
            news = bytearray(News(NEW, offer, []).encode())
            news[place] = flaw
            bad.say(bytes(news), offer.fds)
            offer.close()
            there.engine.wait(1.0)
            there.engine.progress()
            assert bool(there.down) == bool(flaw)
    assert not there.down[-1][1]


def test_a_ring_is_written_with_zeros_there() -> None:
    with ring() as made:
        made.send(b"x" * 30)
        assert made.words.map[PAGE + 4 : PAGE + 8] == bytes(4)
