"""Addresses as C has them: numbers, or a writable buffer that stands for its own."""

from __future__ import annotations

import ctypes

import pytest

import comch_next as comch
from comch_next import AccessFlag, BufInventory, InvalidValue, Mmap
from comch_next.arguments import offset


def test_a_buffer_stands_for_its_address() -> None:
    memory = bytearray(b"hello, world")
    with comch.open_device("b1:00.0") as device, BufInventory(4) as inventory:
        with Mmap(device, memory, AccessFlag.LOCAL_READ_WRITE) as mmap:
            by_addr = inventory.buf_get_by_addr(mmap, memory, 5)
            by_data = inventory.buf_get_by_data(mmap, memory, 5)
            by_args = inventory.buf_get_by_args(mmap, memory, 12, memory, 5)
            by_addr.set_data(memory, 5)
            assert [bytes(buf.view) for buf in (by_addr, by_data, by_args)] == [b"hello"] * 3
            with pytest.raises(InvalidValue, match="addr is b'x'"):
                inventory.buf_get_by_addr(mmap, b"x", 1)
            for buf in (by_addr, by_data, by_args):
                buf.dec_refcount()


@pytest.mark.parametrize("by_number", [True, False])
def test_part_of_memory(by_number: bool) -> None:
    memory = ctypes.create_string_buffer(64)
    mmap = Mmap()
    mmap.set_memrange(ctypes.addressof(memory) if by_number else memory, 16)
    assert mmap.memrange == (ctypes.addressof(memory), 16)
    mmap.destroy()


def released() -> memoryview:
    made = memoryview(bytearray(4))
    made.release()
    return made


def test_memory_behind_an_offset() -> None:
    memory = bytearray(b"hello, world")
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert bytes(offset(memory, 7)) == b"world"
    assert (offset(memory, 99), offset(start, 7)) == (start + 99, start + 7)
    for wrong in (None, "text", released()):
        with pytest.raises(InvalidValue, match="legal is an address or a writable buffer"):
            offset(wrong, 0)


@pytest.mark.parametrize(
    ("memory", "length"), [(bytearray(4), 5), (bytearray(4), -1), ("text", 1), (0, 1), (released(), 1)]
)
def test_what_is_no_part_of_memory(memory: object, length: int) -> None:
    mmap = Mmap()
    with pytest.raises(InvalidValue):
        mmap.set_memrange(memory, length)
    mmap.destroy()
