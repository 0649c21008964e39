"""A call that is refused while something is used collects garbage first: with no lock that another thread waits for."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import comch_next as comch
from comch_next import AccessFlag, BufInventory, Mmap
from comch_next.dpa import Dpa, DpaCompletion, DpaThread
from tests.control_path.pair import DPU, REP
from tests.processes import SOON_S

Refused = tuple[Callable[[], object], Callable[[], object], object]  # the call, what another thread does, what is kept


class Circle:
    """Garbage whose finalizer waits for a thread that uses something else."""

    def __init__(self, use: Callable[[], object], used: list[object]) -> None:
        self.use, self.used, self.me = use, used, self

    def __del__(self) -> None:
        thread = threading.Thread(target=lambda: self.used.append(self.use()), daemon=True)
        thread.start()
        thread.join(SOON_S)


def _mmap(device: comch.Device) -> Mmap:
    mmap = Mmap(device, 4096, AccessFlag.LOCAL_READ_WRITE)
    mmap.start()
    return mmap


def _with_buffer(device: comch.Device) -> tuple[Mmap, BufInventory, object]:
    mmap, inventory = _mmap(device), BufInventory(1)
    inventory.start()
    return mmap, inventory, inventory.buf_get_by_addr(mmap, mmap.addr, 64)


def map_destroyed(device: comch.Device) -> Refused:
    mmap, inventory, buf = _with_buffer(device)
    return mmap.destroy, lambda: _mmap(device).addr, (inventory, buf)


def map_stopped(device: comch.Device) -> Refused:
    mmap, inventory, buf = _with_buffer(device)
    return mmap.stop, lambda: _mmap(device).addr, (inventory, buf)


def inventory_destroyed(device: comch.Device) -> Refused:
    mmap, inventory, buf = _with_buffer(device)
    return inventory.destroy, lambda: _mmap(device).addr, (mmap, buf)


def device_closed(device: comch.Device) -> Refused:
    return device.close, lambda: BufInventory(1).num_elements, _mmap(device)


def representor_closed(device: comch.Device) -> Refused:
    representor = device.open_representor(REP)
    return representor.close, lambda: _mmap(device).addr, comch.Server(device, representor, "svc")


def engine_destroyed(device: comch.Device) -> Refused:
    server = comch.Server(device, REP, "svc")
    engine = server.engine
    return engine.destroy, lambda: engine.num_inflight_tasks, server


def engine_destroyed_with_a_context(device: comch.Device) -> Refused:
    server = comch.Server(device, REP, "svc")
    server.listen()
    engine = server.engine
    return engine.destroy, lambda: engine.num_inflight_tasks, server


def _dpa(device: comch.Device) -> Dpa:
    dpa = Dpa(device)
    dpa.start()
    return dpa


def dpa_destroyed(device: comch.Device) -> Refused:
    dpa = _dpa(device)
    return dpa.destroy, lambda: _mmap(device).addr, DpaThread(dpa)


def dpa_thread_destroyed(device: comch.Device) -> Refused:
    dpa = _dpa(device)
    thread, completion = DpaThread(dpa), DpaCompletion(dpa, 4)
    completion.set_thread(thread)
    return thread.destroy, lambda: _mmap(device).addr, completion


def queue_stopped(device: comch.Device) -> Refused:
    queue = comch.MsgQ(device)
    queue.set_dpa_consumer(_dpa(device))
    queue.start()
    return queue.stop, lambda: _mmap(device).addr, (queue.consumer_create(), queue)


CASES = (
    *(map_destroyed, map_stopped, inventory_destroyed, device_closed, representor_closed),
    *(engine_destroyed, engine_destroyed_with_a_context, dpa_destroyed, dpa_thread_destroyed, queue_stopped),
)


@pytest.fixture(autouse=True)
def collected_on_demand(runtime_dir: object) -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_a_finalizer_may_wait_for_a_thread(case: Callable[[comch.Device], Refused]) -> None:
    call, use, _kept = case(comch.open_device(DPU))
    used: list[Any] = []
    Circle(use, used)
    with pytest.raises((comch.InUse, comch.NotPermitted)):
        call()
    assert used
