"""Posted buffers that are given back and submitted tasks that are freed."""

from __future__ import annotations

from typing import Any

import pytest

from comch_next import (
    BadState,
    Buf,
    BufInventory,
    InUse,
    InvalidValue,
    NotPermitted,
    PostRecvTask,
    ProducerSendTask,
    State,
)
from tests.fast_path.lane import Lane


def posted(lane: Lane, number: int = 0) -> tuple[Buf, PostRecvTask]:
    """A buffer of 64 bytes and its submitted task."""
    inbox = lane.inbox
    buf = inbox.inventory.buf_get_by_addr(inbox.mmap, inbox.mmap.addr + 64 * number, 64)
    task = inbox.consumer.task_post_recv_alloc_init(buf)
    task.submit()
    return buf, task


def stop(lane: Lane) -> None:
    assert lane.inbox.consumer.stop() is State.STOPPING
    lane.until(lambda: lane.inbox.consumer.state is State.IDLE)


# Buffers


def test_a_posted_buffer_that_is_given_back_is_gone_at_once_and_out_until_its_task_ends(lane: Lane) -> None:
    lane.run()
    inbox = lane.inbox
    buf, task = posted(lane)
    free = inbox.inventory.num_free_elements
    buf.inc_refcount()
    assert (buf.dec_refcount(), buf.dec_refcount(), buf.refcount) == (2, 1, 0)
    with pytest.raises(BadState, match="0 already"):
        buf.dec_refcount()
    for attempt in (lambda: buf.view, lambda: buf.data_len, buf.reset_data_len, buf.inc_refcount):
        with pytest.raises(InvalidValue, match="gone back"):
            attempt()
    assert (inbox.inventory.num_free_elements, inbox.mmap.num_bufs) == (free, 1), "the consumer is not counted"
    with pytest.raises(InUse):
        inbox.inventory.destroy()
    with pytest.raises(NotPermitted):
        inbox.mmap.destroy()
    task.free()
    stop(lane)
    assert (inbox.inventory.num_free_elements, inbox.mmap.num_bufs) == (free + 1, 0)


def test_nothing_is_handed_out_where_a_producer_may_still_write(lane: Lane) -> None:
    """The range is the library's until the task completes, whichever inventory is asked."""
    lane.run()
    inbox, start = lane.inbox, lane.inbox.mmap.addr
    buf, task = posted(lane, 1)
    beside = inbox.inventory.buf_get_by_data(inbox.mmap, start, 64)
    buf.dec_refcount()
    with BufInventory(1) as other:
        for inventory in (inbox.inventory, other):
            for head, length in ((start + 64, 64), (start, 65), (start + 127, 1), (start, 4096)):
                with pytest.raises(InvalidValue, match="still posted"):
                    inventory.buf_get_by_addr(inbox.mmap, head, length)
    with pytest.raises(InvalidValue, match="still posted"):
        inbox.inventory.buf_reuse_by_addr(beside, start, 65)
    behind = inbox.inventory.buf_get_by_data(inbox.mmap, start + 128, 64)
    task.free()
    lane.outbox.send(inbox.consumer.id, b"x" * 64)
    lane.until(lambda: inbox.consumer.num_inflight_tasks == 0)
    assert bytes(beside.view) == bytes(behind.view) == bytes(64)
    inbox.inventory.buf_get_by_addr(inbox.mmap, start + 64, 64).dec_refcount()
    beside.dec_refcount()
    behind.dec_refcount()


@pytest.mark.parametrize("own", [False, True], ids=["library", "program"])
def test_what_comes_for_a_buffer_that_is_gone_completes_its_task(own: bool) -> None:
    lane = Lane(memory=bytearray(1 << 16) if own else 1 << 16).run()
    told: list[tuple[str, int, bytes | None]] = []

    def done(task: PostRecvTask) -> None:
        assert task.buf is not None
        told.append((task.status.name, task.buf.refcount, task.imm_data))
        task.free()

    lane.inbox.consumer.stop()
    lane.inbox.consumer.task_post_recv_set_conf(done, lane.inbox._failed, 16)
    lane.news.clear()
    lane.inbox.consumer.start()
    lane.until(lambda: lane.inbox.consumer.state is State.RUNNING and lane.news)
    buf, _ = posted(lane)
    free = lane.inbox.inventory.num_free_elements
    buf.dec_refcount()
    lane.outbox.send(lane.inbox.consumer.id, b"data", b"imm")
    lane.until(lambda: told)
    assert told == [("SUCCESS", 0, b"imm")]
    assert lane.inbox.inventory.num_free_elements == free + 1
    if own:
        assert bytes(lane.inbox.mmap.view[:4]) == bytes(4), "nothing is copied to memory that may be in use again"
    lane.close()


def test_a_shared_buffer_outlives_its_post(lane: Lane) -> None:
    lane.run()
    buf, task = posted(lane)
    buf.inc_refcount()
    buf.dec_refcount()
    task.free()
    stop(lane)
    buf.data_len = 4
    assert (buf.refcount, bytes(buf.view)) == (1, bytes(4))
    buf.dec_refcount()


# Tasks


def test_a_posted_receive_that_is_freed_is_told_to_nobody(lane: Lane) -> None:
    lane.run()
    inbox = lane.inbox
    kept = [posted(lane, number) for number in range(3)]
    for number, (buf, task) in enumerate(kept):
        if number != 1:
            buf.dec_refcount()
            task.free()
    freed = kept[0][1]
    for attempt in (freed.free, freed.submit):
        with pytest.raises(BadState, match="has been freed before"):
            attempt()
    assert inbox.consumer.num_inflight_tasks == 3, "the library has them still"
    for data in (b"first", b"second"):
        lane.outbox.send(inbox.consumer.id, data)
    lane.until(lambda: inbox.consumer.num_inflight_tasks == 1)
    assert inbox.received == [(b"second", None)]
    stop(lane)
    assert (inbox.received, inbox.failed) == ([(b"second", None)], [])


def test_the_pool_has_a_freed_task_back_when_its_post_is_over(lane: Lane) -> None:
    lane.run()
    tasks = [posted(lane, number) for number in range(16)]
    for buf, task in tasks:
        buf.dec_refcount()
        task.free()
    with pytest.raises(MemoryError):
        lane.inbox.consumer.task_post_recv_alloc_init()
    lane.outbox.send(lane.inbox.consumer.id, b"x")
    lane.until(lambda: lane.inbox.consumer.num_inflight_tasks == 15)
    lane.inbox.consumer.task_post_recv_alloc_init().free()


def test_submitted_sends_that_are_freed(lane: Lane) -> None:
    """What was sent arrives; a callback may free others that have not been told yet."""
    lane.run()
    lane.inbox.post(4)
    sends: list[ProducerSendTask] = []
    told: list[ProducerSendTask] = []

    def done(task: ProducerSendTask) -> None:
        told.append(task)
        for send in sends:
            send.free()

    lane.outbox.producer.stop()
    lane.outbox.producer.task_send_set_conf(done, done, 4)
    lane.outbox.producer.start()
    for number in range(4):
        sends.append(lane.outbox.producer.task_send_alloc_init(None, b"%d" % number, lane.inbox.consumer.id))
        sends[-1].submit()
    sends.pop().free()
    lane.until(lambda: told and len(lane.inbox.received) == 4)
    assert [imm for _, imm in lane.inbox.received] == [b"0", b"1", b"2", b"3"]
    assert told == sends[:1]
    assert lane.outbox.producer.num_inflight_tasks == 0
    assert lane.outbox.producer.stop() is State.IDLE


def test_a_receive_freed_after_a_submit_that_is_going_to_fail(lane: Lane) -> None:
    lane.run()
    held = lane.inbox.consumer.task_post_recv_alloc_init()
    lane.inbox.consumer.stop()
    held.submit()
    held.free()
    lane.until(lambda: lane.inbox.consumer.state is State.IDLE)
    assert lane.inbox.failed == []


def test_a_stopping_context_waits_for_tasks_whose_failure_did_not_free_them(lane: Lane) -> None:
    """The guide: IDLE when all tasks are completed and freed."""
    failed: list[Any] = []
    lane.inbox.consumer.task_post_recv_set_conf(failed.append, failed.append, 4)
    lane.run()
    lane.inbox.post(2)
    lane.inbox.consumer.stop()
    lane.until(lambda: len(failed) == 2)
    for _ in range(20):
        lane.there.engine.progress()
    assert lane.inbox.states[-1] is State.STOPPING
    for task in failed:
        task.buf.dec_refcount()
        task.free()
    lane.until(lambda: lane.inbox.consumer.state is State.IDLE)
