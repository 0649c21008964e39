"""The other side of a fast path lies in shared memory: it loses the connection, and nothing here is held up by it."""

from __future__ import annotations

import fcntl
import inspect
import os
import threading
import time
from array import array
from collections.abc import Sequence
from typing import Any

import pytest

import comch_next as comch
from comch_next import AccessFlag, Mmap, State
from comch_next.driver.emulated import _consumer
from comch_next.driver.emulated._export import NOTICE, Export
from comch_next.driver.emulated._fabric import handshake
from comch_next.driver.emulated._fabric.bells import new_bell
from comch_next.driver.emulated._fabric.handshake import send
from comch_next.driver.emulated._fabric.offers import _NEWS, make_posts
from comch_next.driver.emulated._kernel.memory import ffi, lib, make_shared
from comch_next.driver.emulated._remote import _FACTS, _SEALS
from tests.control_path.pair import Side, client, connect, leave, until
from tests.descriptors import collected_fds, open_fds
from tests.fast_path.lane import Lane
from tests.inside import inside
from tests.processes import SOON_S


def shared(lane: Lane) -> Any:
    """The page of the inbox's posts, as a producer may write it."""
    return inside(lane.inbox.consumer).posts.shared


def lost(lane: Lane) -> None:
    """The liar's connection has ended, and the inbox with it."""
    lane.until(lambda: lane.there.down and lane.here.state is State.IDLE)
    lane.until(lambda: lane.inbox.consumer.state is lane.outbox.producer.state is State.IDLE)
    assert [ok for _, ok in lane.there.down] == [False]


def test_a_producer_that_claims_and_never_fills(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds the stop up as one does that has been stopped itself, but not for ever."""
    monkeypatch.setattr(_consumer, "PATIENCE_S", 0.1)
    lane.run()
    lane.inbox.post(2)
    shared(lane).claimed = 1
    begin = time.monotonic()
    assert lane.inbox.consumer.stop() is State.STOPPING
    lost(lane)
    assert time.monotonic() - begin >= 0.1, "until then its memory is kept"
    assert lane.inbox.failed == ["NOT_CONNECTED"] * 2


def test_no_close_ends_before_that_does() -> None:
    """Else it would time out: a consumer is IDLE, or its peer has lost the connection, when `close` has waited."""
    assert inspect.signature(comch.Consumer.close).parameters["timeout"].default > _consumer.PATIENCE_S


@pytest.mark.parametrize("claimed", ["before the stop", "after it"])
def test_a_program_that_sleeps_is_woken_when_the_time_for_that_has_passed(
    lane: Lane, monkeypatch: pytest.MonkeyPatch, claimed: str
) -> None:
    monkeypatch.setattr(_consumer, "PATIENCE_S", 0.1)
    lane.run()
    lane.inbox.post(2)
    held = lane.inbox.consumer.task_post_recv_alloc_init()
    posts = shared(lane)
    if claimed == "after it":
        lane.inbox.consumer.stop()
    posts.claimed = 1
    if claimed == "before the stop":
        lane.inbox.consumer.stop()
    engine = lane.inbox.consumer.engine
    while not lane.inbox.failed:
        assert engine.wait(SOON_S)
        engine.progress()
    lane.until(lambda: lane.there.down)
    while engine.wait(0.01):
        assert engine.progress(), "it sleeps, though it has not ended yet"
    held.free()
    lost(lane)


def test_a_producer_that_takes_its_claim_back_rings(lane: Lane) -> None:
    """A consumer that has begun to stop may have seen the claim, and sleeps until the post is filled."""
    lane.run()
    lane.inbox.post()
    posts, over = shared(lane), threading.Event()
    (target,) = inside(lane.outbox.producer).path.targets.values()

    def begin_to_stop() -> None:
        while not over.is_set():
            posts.closed = 1
            posts.closed = 0

    stopping = threading.Thread(target=begin_to_stop)
    stopping.start()
    try:
        deadline = time.monotonic() + SOON_S
        rung = False
        while not rung and time.monotonic() < deadline:
            posts.posted, posts.armed = target.c.filled + 1, 1
            rung = lib.comch_fill(target.c, ffi.NULL, 0, b"", 0, 1) == lib.COMCH_CLOSED and posts.armed == 0
    finally:
        over.set()
        stopping.join()
        posts.posted = target.c.filled
    assert rung


def test_posts_filled_after_the_consumer_gave_them_up(lane: Lane) -> None:
    lane.run()
    held = lane.inbox.consumer.task_post_recv_alloc_init()
    lane.inbox.post(2)
    posts = shared(lane)
    lane.inbox.consumer.stop()
    lane.until(lambda: len(lane.inbox.failed) == 2)
    posts.filled = posts.claimed = 2
    for _ in range(10):
        lane.there.engine.progress()
    assert lane.inbox.received == []
    held.free()
    lane.until(lambda: lane.inbox.consumer.state is State.IDLE)


def test_a_lie_lets_the_engine_sleep_while_the_program_holds_a_task(lane: Lane) -> None:
    lane.run()
    held = lane.inbox.consumer.task_post_recv_alloc_init()
    lane.inbox.post()
    shared(lane).filled = 1000
    lane.until(lambda: lane.there.down)
    assert lane.inbox.consumer.state is State.STOPPING
    until(lambda: not lane.there.engine.wait(0.02), lane.there.engine)
    held.free()
    lost(lane)


def test_a_stop_takes_all_that_has_been_written(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than one progress delivers: what was sent and completed is not said to have failed."""
    monkeypatch.setattr(inside(lane.there.engine), "batch", 2)
    lane.run()
    lane.inbox.post(9)
    for number in range(8):
        lane.outbox.send(lane.inbox.consumer.id, b"%d" % number)
    lane.inbox.consumer.stop()
    lane.until(lambda: lane.inbox.consumer.state is State.IDLE)
    assert lane.inbox.received == [(b"%d" % number, None) for number in range(8)]
    assert lane.inbox.failed == ["NOT_CONNECTED"]


def test_a_consumers_memory_must_be_there(lane: Lane) -> None:
    """A tebibyte that nobody has paid for would be mapped at once, and filled at the cost of whoever writes to it."""
    own, other = new_bell()
    fds = [make_posts(4, 32), make_shared("sparse", 1 << 40), other]
    here: Side = lane.here
    send(inside(here.connection).sock, _NEWS.pack(b"CMFP", 1, bytes(3), 2, 4, 32, 1 << 40), fds)
    for fd in (own, *fds):
        os.close(fd)
    lane.until(lambda: lane.there.down)
    assert inside(lane.there.connection).fast.targets == {}


def test_a_consumer_of_which_nobody_can_be_told(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hostile peer may leave so many descriptors in flight that its user can send no more of them."""

    def closed(kind: str, fds: Sequence[int] = ()) -> array[int]:
        return array(kind, [-1] * len(fds))  # which the system refuses, too

    monkeypatch.setattr(handshake, "array", closed)
    lane.inbox.consumer.start()
    lane.until(lambda: lane.there.down and lane.inbox.consumer.state is State.IDLE)
    assert lane.there.down == [(lane.there.connection, False)]
    monkeypatch.undo()


def test_a_consumer_restarted_for_a_deaf_peer(lane: Lane) -> None:
    """What waits to be told does not grow with the number of restarts, nor do the descriptors that go with it."""
    consumer, deaf_to = lane.inbox.consumer, (lane.there.engine, lane.inbox.consumer.engine)
    held, waiting = [], []
    for _ in range(1000):
        consumer.start()
        until(lambda: consumer.state is State.RUNNING, *deaf_to)
        consumer.stop()
        until(lambda: consumer.state is State.IDLE, *deaf_to)
        held.append(open_fds())
        waiting.append(len(inside(lane.there.connection).fast._outbox))
    assert 0 < max(waiting) <= 2, "more was told than a socket holds"
    assert max(held[500:]) <= max(held[:500])
    lane.run()
    lane.inbox.post()
    lane.until(lambda: comch.outcome(lane.outbox.send, consumer.id, b"heard")[0] is comch.ErrorCode.SUCCESS)
    lane.until(lambda: lane.inbox.received)
    assert len(lane.news) == len(lane.gone) + 1


def test_a_lie_told_to_an_engine_whose_connection_has_gone(lane: Lane) -> None:
    """The consumer's engine says so to the connection's, which may have destroyed the client by then."""
    other = client()
    connect(lane.there, other)
    link = inside(other.connection)
    leave(other)
    link.on_protocol_violation()


def test_a_forged_export_of_other_shared_memory(lane: Lane) -> None:
    """A ring is sealed memory of the same process, and yet no map."""
    device = lane.there.context.device
    with Mmap(device, 4096, AccessFlag.PCI_READ_WRITE) as exported:
        good = Export.decode(exported.export_pci(device))
        posts = make_posts(1, 0)
        found = os.fstat(posts)
        forged = good._replace(fd=posts, inode=found.st_ino, size=found.st_size)
        with pytest.raises(comch.InvalidValue, match="gone"):
            Mmap.create_from_export(forged.encode(), device)
        os.close(posts)
        Mmap.create_from_export(good.encode(), device).destroy()


@pytest.mark.parametrize("size", [0, (1 << 64) - 1])
def test_a_forged_notice_of_addresses_that_there_cannot_be(size: int) -> None:
    """The first is one of the exporter's."""
    there = ffi.new("char[]", 1)
    permissions = int(AccessFlag.PCI_READ_WRITE)
    notice = os.memfd_create(NOTICE, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(notice, _FACTS.pack(int(ffi.cast("uintptr_t", there)), size, permissions))
    fcntl.fcntl(notice, fcntl.F_ADD_SEALS, _SEALS)
    with comch.open_device("b1:00.0") as host:
        before = collected_fds()
        with pytest.raises(comch.InvalidValue, match="mmap_create_from_export"):
            Mmap.create_from_export(Export.of(notice, permissions, size).encode(), host)
        assert open_fds() == before
    os.close(notice)
