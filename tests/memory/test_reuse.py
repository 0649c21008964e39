"""Buffers that are pointed at another range of their map instead of being given back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from comch_next import BufInventory, InUse, InvalidValue, Mmap, NotPermitted
from tests.fast_path.lane import Lane
from tests.faults.forking import only_bad_state
from tests.memory.conftest import SIZE, Bufs


def test_three_ways_to_use_a_buffer_again(inventory: BufInventory, mmap: Mmap) -> None:
    start = mmap.addr
    buf = inventory.buf_get_by_data(mmap, start, 16)
    buf.inc_refcount()
    found = []
    calls: list[tuple[Callable[..., None], tuple[int, ...]]] = [
        (inventory.buf_reuse_by_addr, (start + 100, 64)),
        (inventory.buf_reuse_by_data, (start + 200, 64)),
        (inventory.buf_reuse_by_args, (start + 300, 64, start + 308, 16)),
    ]
    for reuse, arguments in calls:
        reuse(buf, *arguments)
        found.append((buf.head - start, len(buf), buf.data - start, buf.data_len))
    assert found == [(100, 64, 100, 0), (200, 64, 200, 64), (300, 64, 308, 16)]
    assert (buf.refcount, inventory.num_free_elements, mmap.num_bufs) == (2, 7, 1)
    mmap.view[308:312] = b"here"
    assert bytes(buf.view[:4]) == b"here"
    buf.dec_refcount()
    buf.dec_refcount()
    with pytest.raises(InvalidValue, match="gone back"):
        inventory.buf_reuse_by_addr(buf, start, 16)


@pytest.mark.parametrize(
    ("head", "length", "data", "data_len"),
    [(-1, 2, 0, 1), (0, SIZE + 1, 0, 1), (SIZE, 1, SIZE, 0), (0, 0, 0, 0), (8, 8, 7, 1), (8, 8, 8, 9), (0, -1, 0, 0)],
)
def test_a_range_outside_changes_nothing(bufs: Bufs, head: int, length: int, data: int, data_len: int) -> None:
    buf, start = bufs.take(b"mine"), bufs.mmap.addr
    with pytest.raises(InvalidValue, match="buf_reuse_by_args"):
        bufs.inventory.buf_reuse_by_args(buf, start + head, length, start + data, data_len)
    assert (buf.head, len(buf), bytes(buf.view)) == (start, 16, b"mine")
    buf.dec_refcount()


def test_a_buffer_in_a_list_and_what_is_no_buffer_are_refused(bufs: Bufs) -> None:
    first, second, start = bufs.take(), bufs.take(), bufs.mmap.addr
    first.chain_list(second)
    for buf in (first, second):
        with pytest.raises(NotPermitted, match="in no list"):
            bufs.inventory.buf_reuse_by_addr(buf, start, 8)
    first.dec_refcount()
    with pytest.raises(InvalidValue):
        bufs.inventory.buf_reuse_by_addr(None, start, 8)  # type: ignore[arg-type]


def test_a_forked_child_reuses_nothing(bufs: Bufs) -> None:
    buf = bufs.take(b"mine")
    only_bad_state({"reuse": lambda: bufs.inventory.buf_reuse_by_addr(buf, bufs.mmap.addr, 8)})
    assert bytes(buf.view) == b"mine"
    buf.dec_refcount()


def test_a_posted_buffer_is_refused_and_afterwards_takes_the_next_message() -> None:
    lane = Lane().run()
    inbox = lane.inbox
    start = inbox.mmap.addr
    buf = inbox.inventory.buf_get_by_addr(inbox.mmap, start, 64)
    buf.inc_refcount()
    buf.inc_refcount()
    inbox.consumer.task_post_recv_alloc_init(buf).submit()
    with pytest.raises(InUse, match="is posted"):
        inbox.inventory.buf_reuse_by_addr(buf, start + 64, 64)
    lane.outbox.send(inbox.consumer.id, b"first")
    lane.until(lambda: len(inbox.received) == 1)
    inbox.inventory.buf_reuse_by_addr(buf, start + 64, 64)
    inbox.consumer.task_post_recv_alloc_init(buf).submit()
    lane.outbox.send(inbox.consumer.id, b"second")
    lane.until(lambda: len(inbox.received) == 2)
    assert inbox.received == [(b"first", None), (b"second", None)]
    assert bytes(inbox.mmap.view[:5]) + bytes(inbox.mmap.view[64:70]) == b"firstsecond"
    buf.dec_refcount()
    lane.close()
