"""Buffers on the native driver: what its library is asked for them, and what it is not asked."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import comch_next as comch
from comch_next.driver import load
from comch_next.driver.native._handle import address
from comch_next.testing import Pair, in_one_process
from tests.native.conftest import Log
from tests.native.faces import ENV
from tests.processes import SOON_S

SIZE = 64


class Memory:
    """A map and an inventory of four buffers, on the C libraries of this project."""

    def __init__(self) -> None:
        self.device = comch.open_device("b1:00.0")
        self.mmap = comch.Mmap(self.device, 4 * SIZE, comch.AccessFlag.LOCAL_READ_WRITE)
        self.mmap.start()
        self.inventory = comch.BufInventory(4)
        self.inventory.start()

    def take(self, number: int = 0) -> comch.Buf:
        return self.inventory.buf_get_by_data(self.mmap, self.mmap.addr + number * SIZE, SIZE)

    def free(self) -> tuple[int, int]:
        """How many elements are free, and how many ranges of the map."""
        return self.inventory.num_free_elements, 4 - self.mmap.num_bufs

    def close(self) -> None:
        self.inventory.destroy()
        self.mmap.destroy()
        self.device.close()


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch, fresh_driver: None) -> Iterator[Memory]:
    for name, value in {**ENV, "COMCH_DRIVER": "native"}.items():
        monkeypatch.setenv(name, value)
    made = Memory()
    yield made
    made.close()


def test_a_range_to_receive_into_and_one_to_send(stub: Log) -> None:
    """The calls for these are in the header alone: the library has the general one."""
    library: Any = load().buf_inventories.library  # type: ignore[attr-defined]
    name = "doca_buf_inventory_buf_get_by_args"
    take, taken = library[name], list[tuple[int, ...]]()

    def noted(inventory: Any, mmap: Any, addr: Any, length: int, data: Any, data_len: int, cell: Any) -> int:
        taken.append((address(addr), length, address(data), data_len))
        return int(take(inventory, mmap, addr, length, data, data_len, cell))

    library[name] = noted
    inventory, mmap = comch.BufInventory(4), comch.Mmap(None, 4096)
    bufs = inventory.buf_get_by_addr(mmap, 0x5000, 64), inventory.buf_get_by_data(mmap, 0x6000, 32)
    assert taken == [(0x5000, 64, 0x5000, 0), (0x6000, 32, 0x6000, 32)]
    for buf in bufs:
        buf.dec_refcount()


def test_a_dropped_buffer_goes_back(memory: Memory) -> None:
    bufs = [memory.take(number) for number in range(4)]
    bufs[3].inc_refcount()
    bufs[0].chain_list(bufs[1])
    bufs[0].chain_list_tail(bufs[1], bufs[2])
    assert memory.free() == (0, 0)
    del bufs[3], bufs[0]  # the list goes back as a whole, with the last of its elements
    assert memory.free() == (1, 1)
    bufs.clear()
    assert memory.free() == (4, 4)


def test_a_list_that_was_split_goes_back_by_halves(memory: Memory) -> None:
    head, tail = memory.take(0), memory.take(1)
    head.chain_list(tail)
    head.unchain_list(tail)
    del head
    assert memory.free() == (3, 3)
    assert tail.refcount == 1
    del tail
    assert memory.free() == (4, 4)


def test_a_list_that_was_given_back_is_not_given_back_again(memory: Memory) -> None:
    head, tail = memory.take(0), memory.take(1)
    head.chain_list(tail)
    with pytest.raises(comch.NotPermitted):
        tail.dec_refcount()
    assert head.dec_refcount() == 1
    others = [memory.take(number) for number in range(4)]  # of the same elements
    with pytest.raises(comch.BadState, match="0 already"):
        tail.dec_refcount()
    del head, tail
    assert memory.free() == (0, 0)
    assert [buf.refcount for buf in others] == [1] * 4


def test_a_buffer_that_is_dropped_in_the_middle_of_another_thread_s_call(memory: Memory) -> None:
    """An inventory is for one thread at a time, and a finalizer must not wait: the next call gives the buffer back."""
    bufs: Any = load().bufs
    inside, leave = threading.Event(), threading.Event()
    name = "doca_buf_dec_refcount"
    decrease = bufs.library[name]

    def waits(*args: Any) -> int:
        inside.set()
        assert leave.wait(SOON_S)
        return int(decrease(*args))

    given, dropped = memory.take(0), [memory.take(1)]
    bufs.library[name] = waits
    other = threading.Thread(target=given.dec_refcount)
    other.start()
    assert inside.wait(SOON_S)
    bufs.library[name] = decrease
    dropped.clear()
    leave.set()
    other.join(SOON_S)
    assert memory.free() == (4, 4)


@pytest.fixture
def pair(monkeypatch: pytest.MonkeyPatch, fresh_driver: None) -> Iterator[Pair]:
    """A server whose consumer takes into the map "map", and a client with the producer, in this process."""
    for name, value in ENV.items():
        monkeypatch.setenv(name, value)
    with in_one_process("native", timeout=SOON_S) as made:
        made.server.map(4 * SIZE)
        made.open_channel(made.server, made.client)
        yield made


def test_a_posted_buffer_that_is_given_back_stays_the_library_s(pair: Pair) -> None:
    """It may write to it until the task has completed: only then is it given the buffer back."""
    server = pair.server
    library: Any = load("native").bufs.library  # type: ignore[attr-defined]
    name = "doca_buf_dec_refcount"
    decrease, decreased = library[name], list[Any]()

    def noted(*args: Any) -> int:
        decreased.append(args[0])
        return int(decrease(*args))

    library[name] = noted
    number = server.buf(0, SIZE)
    server.post(number)
    buf, before = server.bufs.pop(number), server.inventory.num_free_elements
    assert buf.dec_refcount() == 1
    with pytest.raises(comch.BadState, match="0 already"):
        buf.dec_refcount()
    with pytest.raises(comch.InvalidValue):
        buf.reset_data_len()
    assert buf.refcount == 0
    assert (server.inventory.num_free_elements, decreased) == (before, [])
    server.stop("consumer")
    pair.until_state(server, "IDLE", "consumer")
    assert (server.inventory.num_free_elements, len(decreased)) == (before + 1, 1)


ENDS: dict[str, Callable[[Memory], object]] = {
    "inventory": lambda memory: memory.inventory.destroy(),
    "map": lambda memory: memory.mmap.destroy(),
    "stop": lambda memory: memory.mmap.stop(),
}


@pytest.mark.parametrize("end", ENDS)
def test_what_lies_in_a_circle_is_collected_before_a_refusal(memory: Memory, end: str) -> None:
    gc.disable()
    try:
        circle: list[Any] = [memory.take()]
        circle.append(circle)
        with pytest.raises(comch.DocaError):
            ENDS[end](memory)
        del circle
        ENDS[end](memory)
    finally:
        gc.enable()
