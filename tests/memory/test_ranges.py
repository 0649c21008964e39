"""What a memory map holds: whose memory it is, what the program keeps with it, and how it is given back."""

from __future__ import annotations

import array
from typing import Any

import pytest

from comch_next import BadState, Device, InvalidValue, Mmap, NotPermitted
from tests.memory.conftest import READ_WRITE, SIZE, Bufs
from tests.processes import StartPython


def test_the_view_is_the_memory(mmap: Mmap, bufs: Bufs) -> None:
    assert mmap.memrange == (mmap.addr, SIZE)
    assert len(mmap) == len(mmap.view) == SIZE
    assert not mmap.view.readonly
    assert bytes(mmap.view) == bytes(SIZE), "new memory is empty"
    mmap.view[-4:] = b"last"
    buf = bufs.inventory.buf_get_by_data(mmap, mmap.addr + SIZE - 4, 4)
    assert bytes(buf.view) == b"last"
    buf.view[:] = b"LAST"
    assert bytes(mmap.view[-4:]) == b"LAST"
    buf.dec_refcount()


def test_a_view_outlives_its_map(device: Device) -> None:
    with Mmap(device, SIZE, READ_WRITE) as mmap:
        view = mmap.view
        view[:4] = b"kept"
    assert bytes(view[:4]) == b"kept"
    view[-1] = 1


@pytest.mark.parametrize("memory", [bytearray(SIZE), array.array("I", [0] * (SIZE // 4)), memoryview(bytearray(SIZE))])
def test_memory_of_the_programs_own(device: Device, memory: Any) -> None:
    with Mmap(device, memory, READ_WRITE) as mmap:
        assert len(mmap) == SIZE
        mmap.view[:4] = b"\1\2\3\4"
        assert bytes(memoryview(memory).cast("B")[:5]) == b"\1\2\3\4\0"
        memoryview(memory).cast("B")[4] = 5
        assert mmap.view[4] == 5


def test_a_map_keeps_the_programs_memory_in_place(device: Device) -> None:
    memory = bytearray(SIZE)
    with Mmap(device, memory, READ_WRITE):
        with pytest.raises(BufferError):
            memory.append(0)
    memory.append(0)


@pytest.mark.parametrize("wrong", [b"", bytes(SIZE), bytearray(), memoryview(bytearray(SIZE))[::2], "text", 1.5])
def test_memory_that_is_none(device: Device, wrong: Any) -> None:
    mmap = Mmap(device)
    with pytest.raises(InvalidValue):
        mmap.set_memrange(wrong)
    with pytest.raises(BadState, match="no range yet"):
        _ = mmap.view
    mmap.set_memrange(SIZE)
    for again in (SIZE, bytearray(SIZE)):
        with pytest.raises(NotPermitted, match="set once"):
            mmap.set_memrange(again)
    mmap.destroy()


# What the program keeps with it


def test_user_data_is_any_object(device: Device) -> None:
    mark = object()
    mmap = Mmap(device, SIZE, READ_WRITE)
    assert mmap.user_data is None
    mmap.user_data = mark
    with mmap:
        assert mmap.user_data is mark


def test_the_free_callback_is_told_the_range_once(device: Device) -> None:
    told: list[object] = []
    memory = bytearray(SIZE)

    def free(addr: int, length: int, opaque: object) -> None:
        told.append((addr, length, opaque))
        memory.clear()  # nothing holds it any more

    mmap = Mmap(device, memory, READ_WRITE)
    mmap.set_free_cb(free, "opaque")
    with mmap:
        where = mmap.memrange
        assert told == []
    mmap.destroy()
    assert told == [(*where, "opaque")]


def test_no_callback_for_a_map_that_is_not_started(device: Device) -> None:
    told: list[object] = []
    for stopped in (False, True):
        mmap = Mmap(device, SIZE, READ_WRITE)
        mmap.set_free_cb(lambda *arguments: told.append(arguments))
        if stopped:
            mmap.start()
            mmap.stop()
        mmap.destroy()
    assert told == []
    with pytest.raises(InvalidValue, match="callback"):
        Mmap().set_free_cb(None)  # type: ignore[arg-type]


def test_a_callback_that_raises_does_not_keep_the_map(device: Device) -> None:
    def free(*_: object) -> None:
        raise NotPermitted("the program's own")

    mmap = Mmap(device, SIZE, READ_WRITE)
    mmap.set_free_cb(free)
    mmap.start()
    with pytest.raises(NotPermitted, match="the program's own"):
        mmap.destroy()
    mmap.destroy()
    with pytest.raises(InvalidValue, match="has been destroyed"):
        mmap.start()

CIRCLE = """
import gc, sys
import comch_next as comch
from multiprocessing.shared_memory import SharedMemory

class Session:
    pass

def drop(memory):
    session = Session()
    session.mmap = comch.Mmap(comch.open_device("b1:00.0"), memory, comch.AccessFlag.LOCAL_READ_WRITE)
    session.itself = session

gc.disable()
drop(memoryview(bytearray(64)))
shared = SharedMemory(create=True, size=64)
drop(shared.buf)
gc.collect()
shared.close()
shared.unlink()
print("collected")
"""


def test_a_view_in_a_circle_is_collected(start_python: StartPython) -> None:
    """The collector clears a memoryview before it frees what holds it, which nothing in C survives."""
    assert start_python("-c", CIRCLE).succeed() == "collected\n"
