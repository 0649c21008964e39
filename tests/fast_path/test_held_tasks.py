"""Tasks and buffers that a program holds or drops: close takes them back, and so does the collector."""

from __future__ import annotations

import gc
from typing import Any

import pytest

from comch_next import AccessFlag, BadState, BufInventory, Device, InUse, Mmap, NotPermitted, open_device
from tests.fast_path.lane import SIZE, Lane
from tests.processes import SOON_S


def held(lane: Lane) -> list[Any]:
    """A task of the consumer and one of the producer that are not submitted."""
    buf = lane.inbox.inventory.buf_get_by_addr(lane.inbox.mmap, lane.inbox.mmap.addr, SIZE)
    post = lane.inbox.consumer.task_post_recv_alloc_init(buf)
    return [post, lane.outbox.producer.task_send_alloc_init(None, b"imm", lane.inbox.consumer.id)]


def test_close_takes_back_tasks_that_the_program_holds() -> None:
    lane = Lane().run()
    tasks = held(lane)
    lane.inbox.post(2)
    lane.inbox.consumer.close(timeout=SOON_S)
    lane.outbox.producer.close(timeout=SOON_S)
    for task in tasks:
        for call in (task.submit, task.free):
            with pytest.raises(BadState, match="has been freed before"):
                call()
    assert lane.inbox.failed == ["NOT_CONNECTED"] * 2
    tasks[0].buf.dec_refcount()
    lane.close()


def test_dropped_tasks_are_back_in_the_pool_once_collected(lane: Lane) -> None:
    lane.run()
    for _ in range(3):
        for _ in range(16):  # as many as the pools have
            held(lane)
        gc.collect()


def test_a_submitted_task_lives_until_its_callback(lane: Lane) -> None:
    lane.run()
    lane.inbox.post()
    lane.outbox.send(lane.inbox.consumer.id, b"data")  # neither task is held by the program
    lane.until(lambda: lane.inbox.received and lane.outbox.sent)
    assert lane.inbox.received == [(b"data", None)]


@pytest.fixture
def device() -> Any:
    opened = open_device("03:00.0")
    yield opened
    opened.close()


def test_dropped_buffers_are_back_at_once(device: Device) -> None:
    with BufInventory(2) as inventory, Mmap(device, SIZE, AccessFlag.LOCAL_READ_WRITE) as mmap:
        for _ in range(10):
            inventory.buf_get_by_addr(mmap, mmap.addr, 8)
        assert (inventory.num_free_elements, mmap.num_bufs) == (2, 0)


def test_dropped_lists_are_back_when_their_memory_is_to_go(device: Device) -> None:
    inventory, mmap = BufInventory(4), Mmap(device, SIZE, AccessFlag.LOCAL_READ_WRITE)
    inventory.start()
    mmap.start()
    bufs = [inventory.buf_get_by_addr(mmap, mmap.addr, 8) for _ in range(2)]
    bufs[0].chain_list(bufs[1])
    with pytest.raises(NotPermitted, match="2 buffers or consumers still lie in the map"):
        mmap.destroy()
    with pytest.raises(InUse, match="2 buffers are still out"):
        inventory.destroy()
    del bufs
    mmap.destroy()
    inventory.destroy()
