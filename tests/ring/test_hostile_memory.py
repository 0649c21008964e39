"""Memory that another side offers, or changes while it is used, is noticed or harmless."""

from __future__ import annotations

import fcntl
import os
import random
import threading
import time

import pytest

from comch_next.driver.emulated._kernel.memory import _SEALS, check_shared
from comch_next.driver.emulated._kernel.ring import Receiver, Sender, ffi, lib, make_memory
from comch_next.errors import ConnectionAborted, DocaError
from tests.ring.ring import AGAIN, CORRUPT, LONG, NO_CUT, OK, Words, footprint, ring, send

# Memory that is offered


def test_memory_of_the_wrong_size_or_unsealed_is_refused() -> None:
    fd = make_memory(100, 8)
    plain = os.memfd_create("plain", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(plain, os.fstat(fd).st_size)
    read_end, write_end = os.pipe()
    try:
        for end in (Sender, Receiver):
            with pytest.raises(ConnectionAborted, match="size and sealed"):
                end(fd, 100, 400, 500, -1)
            with pytest.raises(ConnectionAborted, match="size and sealed"):
                end(plain, 100, 4, 4, -1)
            with pytest.raises((DocaError, OSError)):
                end(read_end, 100, 4, 4, -1)
    finally:
        for each in (fd, plain, read_end, write_end):
            os.close(each)


def test_memory_of_huge_pages_is_refused() -> None:
    """Its owner may take the pages out again, and use up the others: whoever touches it then is killed."""
    size = 1 << 30
    try:
        huge = os.memfd_create("huge", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING | os.MFD_HUGETLB)
    except OSError:
        pytest.skip("this Linux has no huge pages")
    try:
        os.ftruncate(huge, size)
        fcntl.fcntl(huge, fcntl.F_ADD_SEALS, _SEALS)
        with pytest.raises(ConnectionAborted, match="huge pages"):
            check_shared(huge, size)
    finally:
        os.close(huge)


@pytest.mark.parametrize("place", [1, 63, lib.COMCH_LAST_PLACE + 64, 4096, (1 << 32) - 64])
def test_memory_with_its_words_out_of_place_is_refused(place: int) -> None:
    fd = make_memory(100, 8)
    try:
        os.pwrite(fd, place.to_bytes(4, "little"), lib.COMCH_PLACE)
        for end in (Sender, Receiver):
            with pytest.raises(ConnectionAborted, match="the offered ring has no valid layout"):
                end(fd, 100, 4, 4, -1).attach()
    finally:
        os.close(fd)


def test_the_words_of_many_rings_lie_in_many_places() -> None:
    fds = [make_memory(100, 8) for _ in range(60)]
    try:
        places = {os.pread(fd, 4, lib.COMCH_PLACE) for fd in fds}
        assert len(places) == 60
    finally:
        for fd in fds:
            os.close(fd)


def test_memory_cannot_be_pulled_from_under_the_other_side() -> None:
    fd = make_memory(100, 8)
    try:
        for size in (0, 1 << 30):
            with pytest.raises(PermissionError):
                os.ftruncate(fd, size)
    finally:
        os.close(fd)


def test_a_ring_larger_than_its_positions_is_refused() -> None:
    """4 GiB and more, as only a hostile greeting can ask for."""
    for messages in (1 << 17, 1 << 13):
        with pytest.raises(DocaError):
            make_memory(1 << 20, messages)


# Changed while being used


def test_a_length_that_changes_when_its_message_has_been_found() -> None:
    """What was checked counts: no more is copied than the receiver has room for."""
    with ring(100, 4, 4) as made:
        poller = made.reader.poller
        for real, written in ((5, 100), (100, 5), (0, 100)):
            pos, room = int(made.rx.pos), bytearray(b"-" * 100)
            made.send(b"x" * real)
            assert lib.comch_find(poller) == real
            made.words.set_length(pos, written)
            assert lib.comch_take(poller, ffi.from_buffer(room)) == OK
            assert room == b"x" * real + b"-" * (100 - real)
            assert made.rx.pos == pos + footprint(real)


def _hammer(words: Words, names: tuple[str, ...], stop: threading.Event, seed: int) -> None:
    rng = random.Random(seed)
    values = (0, 1, 2, 7, 15, 16, 17, 4096, 1 << 31, (1 << 32) - 1, 1 << 63, NO_CUT)
    while not stop.is_set():
        for _ in range(200):
            words[rng.choice(names)] = rng.choice(values)
            words["head"] = rng.randrange(40)
            words.set_length(rng.randrange(0, 800, 16), rng.choice((0, 5, 100, 101, 0xFFFFFFFF)))


@pytest.mark.parametrize("seed", range(2))
def test_reader_survives_a_hammering_sender(seed: int) -> None:
    with ring(100, 4, 4) as made:
        stop = threading.Event()
        names = ("head", "jump", "cut")
        thread = threading.Thread(target=_hammer, args=(made.words, names, stop, seed))
        thread.start()
        rng = random.Random(seed)
        try:
            until = time.monotonic() + 0.6
            while time.monotonic() < until:
                made.words.set_length(rng.randrange(0, 800, 16), rng.choice((0, 5, 100, 101, 0xFFFFFFFF)))
                found = made.receive(rng.choice((0, 50, 1 << 16)))
                assert len(found) <= 100 if isinstance(found, bytes) else found in (AGAIN, CORRUPT, LONG)
                assert made.rx.pos <= made.rx.capacity
        finally:
            stop.set()
            thread.join()


@pytest.mark.parametrize("seed", range(2))
def test_sender_survives_a_hammering_reader(seed: int) -> None:
    with ring(100, 4, 4) as made:
        stop = threading.Event()

        def hammer() -> None:
            rng = random.Random(seed)
            while not stop.is_set():
                made.words["tail"] = rng.choice((int(made.tx.tail), int(made.tx.head), int(made.tx.head) + 1, NO_CUT))
                made.words["tail_pos"] = rng.choice((0, 16, 160, 1600, 8, 1 << 40))
                made.words["claim"] = rng.choice((0, 1, NO_CUT))
                made.words["left"] = rng.choice((0, 1, int(made.tx.head), NO_CUT))

        thread = threading.Thread(target=hammer)
        thread.start()
        rng = random.Random(seed)
        try:
            until = time.monotonic() + 0.6
            while time.monotonic() < until:
                assert send(made.tx, rng.randbytes(rng.randint(0, 100))) in (OK, AGAIN, CORRUPT)
                assert made.tx.pos <= made.tx.capacity
                assert lib.comch_completed(made.tx) <= made.tx.head
        finally:
            stop.set()
            thread.join()
        assert lib.comch_cut(made.tx) <= made.tx.head
