"""Kernels that copy between maps, then send (guide: Comch, Producer DMA Copy)."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

import comch_next as comch
from comch_next.dpa.dev import doca_dpa_dev_comch_producer_dma_copy, doca_dpa_dev_mmap_get_external_ptr
from tests.dpa.world import Queues

FLAGS = comch.AccessFlag
SIZE = 4096


def mapped(device: comch.Device, permissions: comch.AccessFlag) -> comch.Mmap:
    made = comch.Mmap(device, SIZE, permissions)
    made.start()
    return made


def copy(arg: SimpleNamespace) -> None:
    """Copy `length` bytes from an offset to an offset, and tell."""
    doca_dpa_dev_comch_producer_dma_copy(
        arg.producer, arg.cpu, arg.dst, arg.to, arg.src, arg.origin, arg.length, b"copied", 6, 0
    )


class Maps:
    """Two maps of a lane; `shift` moves what its kernel is told."""

    def __init__(self, lane: Queues, source: comch.AccessFlag, target: comch.AccessFlag) -> None:
        self.source, self.target = mapped(lane.device, source), mapped(lane.device, target)
        self.source.view[:] = bytes(number % 251 for number in range(SIZE)) if not self.source.view.readonly else b""
        arg = lane.arg
        arg.src, arg.dst = (each.dev_get_dpa_handle(lane.device) for each in (self.source, self.target))
        arg.origin, arg.to, arg.length = self.source.addr + 10, self.target.addr + 20, 1000


def close(lane: Queues, maps: Maps) -> None:
    lane.close()
    maps.source.destroy()
    maps.target.destroy()


def test_the_bytes_are_there_when_the_message_comes() -> None:
    lane = Queues(copy)
    maps = Maps(lane, FLAGS.LOCAL_READ_WRITE, FLAGS.LOCAL_READ_WRITE)
    lane.thread.run()
    lane.until(lambda: lane.came)
    assert lane.came == [b"copied"]
    assert maps.target.view[20:1020] == maps.source.view[10:1010]
    assert set(maps.target.view[:20]) == set(maps.target.view[1020:]) == {0}
    close(lane, maps)


def beyond(arg: SimpleNamespace) -> None:
    arg.length = SIZE
    copy(arg)


def onto_itself(arg: SimpleNamespace) -> None:
    arg.dst, arg.to = arg.src, arg.origin + arg.length - 1
    copy(arg)


def no_map(arg: SimpleNamespace) -> None:
    arg.dst = arg.completion
    copy(arg)


def outside(arg: SimpleNamespace) -> None:
    doca_dpa_dev_mmap_get_external_ptr(arg.src, 1)


RW, RO = FLAGS.LOCAL_READ_WRITE, FLAGS.LOCAL_READ_ONLY
REFUSED: list[tuple[Callable[[SimpleNamespace], None], comch.AccessFlag, type[comch.DocaError], str]] = [
    (beyond, RW, comch.InvalidValue, "outside of the dst memory map"),
    (onto_itself, RW, comch.InvalidValue, "overlap"),
    (no_map, RW, comch.InvalidValue, "takes the handle of a memory map"),
    (outside, RW, comch.InvalidValue, "outside of the map memory map"),
    (copy, RO, comch.NotPermitted, "dst memory map lacks permission LOCAL_READ_WRITE"),
]


@pytest.mark.usefixtures("printed")
@pytest.mark.parametrize(("kernel", "target", "error", "text"), REFUSED)
def test_a_refused_copy_is_fatal_and_copies_nothing(
    kernel: Callable[[SimpleNamespace], None], target: comch.AccessFlag, error: type[comch.DocaError], text: str
) -> None:
    lane = Queues(kernel)
    maps = Maps(lane, RW, target)
    before = bytes(maps.source.view), bytes(maps.target.view)
    lane.thread.run()
    lane.until(lambda: lane.dpa.error)
    assert isinstance(lane.dpa.error, error)
    assert text in str(lane.dpa.error)
    assert (bytes(maps.source.view), bytes(maps.target.view)) == before
    assert lane.came == []
    close(lane, maps)


def test_a_map_has_a_handle_once_it_is_started() -> None:
    device, host = comch.open_device("03:00.0"), comch.open_device("b1:00.0")
    made = comch.Mmap(device, SIZE, RW)
    with pytest.raises(comch.NotPermitted, match="start it first"):
        made.dev_get_dpa_handle(device)
    made.start()
    assert made.dev_get_dpa_handle(device) == made.dev_get_dpa_handle(device) > 0
    with pytest.raises(comch.NotFound, match="does not have this device"):
        made.dev_get_dpa_handle(host)
    made.destroy()
