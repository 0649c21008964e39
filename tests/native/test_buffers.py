"""Buffers on the native driver: what its library is asked for them, and what it is not asked."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import comch_next as comch
from comch_next.driver import load
from comch_next.driver.native._handle import address
from comch_next.testing import Pair, in_one_process
from tests.interrupts.strike import each_place
from tests.native.conftest import Log
from tests.native.faces import ENV, choose
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
    choose(monkeypatch)
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


@pytest.mark.parametrize("dup", [False, True])
def test_a_take_that_is_interrupted_takes_nothing(memory: Memory, dup: bool) -> None:
    source = memory.take()

    def take() -> comch.Buf:
        return memory.inventory.buf_dup(source) if dup else memory.take(1)

    take()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for strike in each_place(10):
            strike.hit(take)
            assert memory.free() == (3, 3), strike.place
    finally:
        signal.signal(signal.SIGINT, before)


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
        made.server.producer()
        made.server.start("producer")
        made.until_state(made.server, "RUNNING", "producer")
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


# What the library does not refuse, as its functions return nothing


def test_a_data_segment_outside_of_the_buffer(memory: Memory) -> None:
    buf = memory.take(1)
    wrong: list[Any] = [(-1, 1), (0, SIZE + 1), (SIZE + 1, 0), (0, -1), (4, SIZE - 3), (0, 1 << 64)]
    for place, length in wrong:
        with pytest.raises(comch.InvalidValue, match=r"doca_buf_set_data: the data segment"):
            buf.set_data(buf.head + place, length)
    buf.set_data(buf.head + 4, 8)
    for length in (SIZE - 3, -1, 1 << 30):
        with pytest.raises(comch.InvalidValue, match=r"doca_buf_set_data_len: the data segment"):
            buf.data_len = length
    for number in ("x", 1.0, None):
        with pytest.raises(comch.InvalidValue, match="takes whole numbers"):
            load().bufs.set_data(buf._handle, buf.head, number)  # type: ignore[arg-type]
    assert (buf.data - buf.head, buf.data_len) == (4, 8)
    copy = memory.inventory.buf_dup(buf)
    with pytest.raises(comch.InvalidValue):
        copy.data_len = SIZE
    copy.data_len = SIZE - 4


@pytest.mark.parametrize("end", ["consumer", "producer"])
def test_a_buffer_that_no_task_may_have(pair: Pair, end: str) -> None:
    """Posted, in a list, or of a map that the task's context does not reach."""
    server, client = pair.server, pair.client
    server.map(SIZE, "own other")
    strange = comch.Mmap(client.device, SIZE, comch.AccessFlag.PCI_READ_WRITE)
    strange.start()
    if end == "consumer":
        number, reached = server.receive_task(None), r"the consumer's memory map"
        outside = [server.bufs[server.buf(0, SIZE, key="own other")]]
    else:
        number, reached = server.send_task(None, b"x", 1, "producer"), r"a memory map that has the connection's device"
        outside = []
    task = server.tasks[number].task
    outside.append(server.inventory.buf_get_by_addr(strange, strange.addr, SIZE))
    for buf in outside:
        with pytest.raises(comch.InvalidValue, match=reached):
            task.buf = buf
    head, tail = (server.bufs[server.buf(place * SIZE, SIZE)] for place in (0, 1))
    head.chain_list(tail)
    for buf in (head, tail):
        with pytest.raises(comch.InvalidValue, match="single buffer"):
            task.buf = buf
    head.unchain_list(tail)
    posted = server.buf(2 * SIZE, SIZE)
    server.post(posted)
    with pytest.raises(comch.InvalidValue, match="not posted"):
        task.buf = server.bufs[posted]
    assert task.buf is None
    for buf in (head, tail):
        task.buf = buf
    assert task.buf is tail
    task.buf = None
    server.free(number)
    outside[-1].dec_refcount()
    strange.destroy()


def test_more_immediate_data_than_is_carried(pair: Pair) -> None:
    """The library would copy it into the task, beyond its end."""
    number = pair.client.send_task(None, b"x", 1)
    task, most = pair.client.tasks[number].task, pair.client.limit("consumer_cap_get_max_imm_data_len")
    with pytest.raises(comch.InvalidValue, match=f"{most + 1} bytes of immediate data are above the {most}"):
        task.imm_data = bytes(most + 1)
    assert task.imm_data == b"x"
    task.imm_data = bytes(most)
    assert task.imm_data == bytes(most)
    pair.client.free(number)
