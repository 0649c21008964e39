"""Inventories and buffers: how many there are, what they cover, and when they go back."""

from __future__ import annotations

from typing import Any

import pytest

from comch_next import BadState, Buf, BufInventory, InUse, InvalidValue, Mmap, NoMemory
from tests.faults.forking import Calls, only_bad_state
from tests.memory.conftest import SIZE, Bufs


def drop(*bufs: Buf) -> None:
    """Give each back."""
    for buf in bufs:
        assert buf.dec_refcount() == 1


# Inventories


def test_an_inventory_counts_its_elements(inventory: BufInventory, bufs: Bufs) -> None:
    assert (inventory.num_elements, inventory.num_free_elements) == (8, 8)
    taken = [bufs.take() for _ in range(8)]
    assert (inventory.num_elements, inventory.num_free_elements) == (8, 0)
    with pytest.raises(NoMemory, match="all 8 elements"):
        bufs.take()
    drop(taken.pop())
    assert inventory.num_free_elements == 1
    drop(bufs.take(), *taken)
    assert inventory.num_free_elements == 8


def test_an_inventory_grows(inventory: BufInventory, bufs: Bufs) -> None:
    taken = [bufs.take() for _ in range(8)]
    inventory.expand(2)
    assert (inventory.num_elements, inventory.num_free_elements) == (10, 2)
    taken += [bufs.take(), bufs.take()]
    with pytest.raises(NoMemory, match="all 10 elements"):
        bufs.take()
    for wrong in (0, -1, 1 << 24, 1.5, None):
        with pytest.raises(InvalidValue):
            inventory.expand(wrong)  # type: ignore[arg-type]
    assert inventory.num_elements == 10
    drop(*taken)


def test_a_buffer_is_true_at_any_time(inventory: BufInventory, mmap: Mmap) -> None:
    buf = inventory.buf_get_by_addr(mmap, mmap.addr, 16)
    assert buf
    drop(buf)
    assert buf
    with pytest.raises(InvalidValue):
        len(buf)


def test_a_stopped_inventory_gives_none_and_takes_all_back(inventory: BufInventory, bufs: Bufs) -> None:
    buf = bufs.take(b"good")
    inventory.stop()
    for attempt in (bufs.take, lambda: inventory.buf_dup(buf), lambda: inventory.expand(1)):
        with pytest.raises(BadState, match="started"):
            attempt()
    assert bytes(buf.view) == b"good"
    with pytest.raises(InUse, match="1 buffer is still out"):
        inventory.destroy()
    drop(buf)
    inventory.start()
    drop(bufs.take())


def test_a_fresh_inventory_is_not_started(mmap: Mmap) -> None:
    inventory = BufInventory(1)
    with pytest.raises(BadState, match="inventory and memory map must be started"):
        inventory.buf_get_by_addr(mmap, mmap.addr, 1)
    inventory.destroy()
    inventory.destroy()  # harmless
    with pytest.raises(InvalidValue, match="has been destroyed"):
        inventory.start()


def test_a_map_that_is_stopped_gives_no_buffers(inventory: BufInventory, mmap: Mmap) -> None:
    """Each call is named as the program has made it."""
    mmap.stop()
    with pytest.raises(BadState, match=r"buf_inventory_buf_get_by_addr: .* must be started"):
        inventory.buf_get_by_addr(mmap, mmap.addr, 1)
    with pytest.raises(BadState, match=r"buf_inventory_buf_get_by_data: .* must be started"):
        inventory.buf_get_by_data(mmap, mmap.addr, 1)
    mmap.start()


@pytest.mark.parametrize("wrong", [0, -1, (1 << 24) + 1, True, 2.0, None])
def test_inventories_that_there_are_not(wrong: Any) -> None:
    with pytest.raises(InvalidValue):
        BufInventory(wrong)


def test_user_data_of_a_started_inventory() -> None:
    mark = object()
    inventory = BufInventory(1)
    assert inventory.user_data is None
    with pytest.raises(BadState):
        inventory.user_data = mark
    with inventory:
        inventory.user_data = mark
        inventory.stop()
        assert inventory.user_data is mark


# Ranges and segments


def test_three_ways_to_take_a_buffer(inventory: BufInventory, mmap: Mmap) -> None:
    start = mmap.addr
    found = [
        inventory.buf_get_by_addr(mmap, start, 64),
        inventory.buf_get_by_data(mmap, start, 64),
        inventory.buf_get_by_args(mmap, start, 64, start + 8, 16),
    ]
    assert [(buf.head - start, len(buf), buf.data - start, buf.data_len) for buf in found] == [
        (0, 64, 0, 0),
        (0, 64, 0, 64),
        (0, 64, 8, 16),
    ]
    drop(*found)


@pytest.mark.parametrize(
    ("head", "length", "data", "data_len"),
    [
        (-1, 2, 0, 1),  # before the map
        (0, SIZE + 1, 0, 1),  # longer than it
        (SIZE, 1, SIZE, 0),  # behind it
        (0, 0, 0, 0),  # empty
        (8, 8, 7, 1),  # the data begins too early
        (8, 8, 8, 9),  # or ends too late
        (8, 8, 17, 0),
        (0, (1 << 64) - 1, 0, 0),  # ends beyond all memory
        (0, -1, 0, 0),
        (0, 1 << 64, 0, 0),
    ],
)
def test_ranges_outside(inventory: BufInventory, mmap: Mmap, head: int, length: int, data: int, data_len: int) -> None:
    with pytest.raises(InvalidValue):
        inventory.buf_get_by_args(mmap, mmap.addr + head, length, mmap.addr + data, data_len)
    assert inventory.num_free_elements == 8
    assert mmap.num_bufs == 0


def test_the_data_segment_moves_inside_of_the_range(bufs: Bufs) -> None:
    buf = bufs.take(b"0123456789abcdef")
    buf.set_data(buf.head + 4, 8)
    assert bytes(buf.view) == b"456789ab"
    buf.data_len = 12
    assert bytes(buf.view) == b"456789abcdef"
    for data, length in ((-1, 1), (4, 13), (17, 0), (0, -1), (0, 1 << 64)):
        with pytest.raises(InvalidValue, match="buf_set_data"):
            buf.set_data(buf.head + data, length)
    with pytest.raises(InvalidValue):
        buf.data_len = 13
    assert bytes(buf.view) == b"456789abcdef", "a refusal changes nothing"
    buf.reset_data_len()
    assert (buf.data - buf.head, buf.data_len, len(buf)) == (4, 0, 16)
    drop(buf)


def test_a_duplicate_has_the_same_bytes_and_a_segment_of_its_own(inventory: BufInventory, bufs: Bufs) -> None:
    buf = bufs.take(b"shared bytes")
    buf.inc_refcount()
    with BufInventory(1) as other:
        copies = [inventory.buf_dup(buf), other.buf_dup(buf)]
        assert [copy.refcount for copy in copies] == [1, 1]
        assert copies[0] != copies[1] != buf
        copies[0].view[:6] = b"SHARED"
        copies[0].data_len = 6
        assert [bytes(each.view) for each in (buf, *copies)] == [b"SHARED bytes", b"SHARED", b"SHARED bytes"]
        with pytest.raises(NoMemory):
            other.buf_dup(buf)
        drop(*copies)
    buf.dec_refcount()
    drop(buf)


# References


def test_the_last_reference_gives_the_buffer_back(inventory: BufInventory, mmap: Mmap, bufs: Bufs) -> None:
    buf = bufs.take(b"x")
    assert [buf.inc_refcount(), buf.inc_refcount(), buf.refcount] == [1, 2, 3]
    assert [buf.dec_refcount(), buf.dec_refcount()] == [3, 2]
    assert (inventory.num_free_elements, mmap.num_bufs) == (7, 1)
    assert buf.dec_refcount() == 1
    assert (inventory.num_free_elements, mmap.num_bufs, buf.refcount) == (8, 0, 0)
    with pytest.raises(BadState, match="0 already"):
        buf.dec_refcount()
    for attempt in (buf.inc_refcount, lambda: buf.view, lambda: buf.data, lambda: inventory.buf_dup(buf)):
        with pytest.raises(InvalidValue, match="gone back"):
            attempt()
    assert (inventory.num_free_elements, mmap.num_bufs) == (8, 0)


# A forked child


def test_an_inherited_buffer_tells_a_child_nothing(bufs: Bufs) -> None:
    buf, other = bufs.take(b"mine"), bufs.take()
    names = [name for name, what in vars(Buf).items() if isinstance(what, property)]
    assert {"data", "data_len", "head", "refcount", "view", "list_len"} <= set(names)
    calls: Calls = {name: lambda name=name: getattr(buf, name) for name in names}  # type: ignore[misc]
    only_bad_state(
        {
            **calls,
            "length": lambda: len(buf),
            "set data_len": lambda: setattr(buf, "data_len", 1),
            "set data": lambda: buf.set_data(buf.head, 1),
            "reset": buf.reset_data_len,
            "one more": buf.inc_refcount,
            "one less": buf.dec_refcount,
            "chain": lambda: buf.chain_list(other),
        }
    )
    assert (buf.data_len, bytes(buf.view), buf.refcount) == (4, b"mine", 1)
    drop(buf, other)
