"""Memory maps: their life, what they demand and when, their devices and permissions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from comch_next import (
    AccessFlag,
    AlreadyExist,
    BadState,
    BufInventory,
    Device,
    InUse,
    InvalidValue,
    Mmap,
    NoMemory,
    NotFound,
    NotPermitted,
    NotSupported,
    open_device,
)
from tests.faults.forking import in_child
from tests.memory.conftest import READ_WRITE, SIZE, Bufs

# Life


def test_a_map_is_true_at_any_time(device: Device) -> None:
    mmap = Mmap(device)
    assert mmap
    with pytest.raises(BadState):
        len(mmap)
    mmap.destroy()
    assert mmap


@pytest.mark.parametrize("lacking", ["a range", "a device", "permissions"])
def test_what_is_lacking_at_start_is_named(device: Device, lacking: str) -> None:
    mmap = Mmap(
        None if lacking == "a device" else device,
        None if lacking == "a range" else SIZE,
        None if lacking == "permissions" else READ_WRITE,
    )
    with pytest.raises(InvalidValue, match=f"the memory map lacks {lacking}$"):
        mmap.start()
    mmap.destroy()


def test_all_that_is_lacking_is_listed() -> None:
    with pytest.raises(InvalidValue, match=r"the memory map lacks a range, a device and permissions$"):
        Mmap().start()


def test_a_started_map_is_frozen_and_a_stopped_one_is_not(device: Device) -> None:
    configure: dict[str, tuple[type[Exception], Callable[[Mmap], object]]] = {
        "permissions": (BadState, lambda mmap: mmap.set_permissions(AccessFlag.PCI_READ_ONLY)),
        "user data": (BadState, lambda mmap: setattr(mmap, "user_data", 1)),
        "callback": (BadState, lambda mmap: mmap.set_free_cb(print)),
        "thread safety": (NotPermitted, lambda mmap: mmap.enable_thread_safety()),
        "no device": (NotPermitted, lambda mmap: mmap.rm_dev(device)),
        "device": (NotPermitted, lambda mmap: mmap.add_dev(device)),
    }
    with Mmap(device, SIZE, READ_WRITE) as mmap:
        for refusal, call in configure.values():
            with pytest.raises(refusal, match="started"):
                call(mmap)
        mmap.stop()
        mmap.set_free_cb(lambda *_: None)
        for name in ("permissions", "user data", "thread safety", "no device", "device"):
            configure[name][1](mmap)
        mmap.start()
        assert mmap.user_data == 1
        with pytest.raises(NotPermitted, match="permission"):
            mmap.export_rdma(device)


def test_what_lies_in_a_map_keeps_it(mmap: Mmap, bufs: Bufs) -> None:
    first, second = bufs.take(), bufs.take()
    assert mmap.num_bufs == 2
    for attempt in (mmap.stop, mmap.destroy):
        with pytest.raises(NotPermitted, match="2 buffers or consumers still lie in the map"):
            attempt()
    first.dec_refcount()
    second.dec_refcount()
    assert mmap.num_bufs == 0
    mmap.stop()
    mmap.start()


def test_a_map_that_has_been_destroyed_is_no_map(device: Device, inventory: BufInventory) -> None:
    mmap = Mmap(device, SIZE, READ_WRITE)
    mmap.start()
    addr = mmap.addr
    mmap.destroy()
    mmap.destroy()  # harmless
    attempts: tuple[Callable[[], object], ...] = (
        mmap.start,
        mmap.stop,
        lambda: mmap.memrange,
        lambda: mmap.view,
        lambda: mmap.user_data,
        lambda: mmap.export_pci(device),
        lambda: inventory.buf_get_by_addr(mmap, addr, 1),
    )
    for attempt in attempts:
        with pytest.raises(InvalidValue, match="has been destroyed"):
            attempt()


def test_a_constructor_that_refuses_leaves_nothing_behind(device: Device) -> None:
    for arguments in ((0,), (-1,), (True,), (1 << 41,), (SIZE, 1 << 20), (b"read-only",), (None, 3.5)):
        with pytest.raises(InvalidValue):
            Mmap(device, *arguments)
    # and the fixture closes the device


def test_a_forked_child_may_leave_the_block(device: Device) -> None:
    def leave() -> bytes:
        with Mmap(device, SIZE, READ_WRITE) as mmap, BufInventory(1) as inventory:
            mmap.view[:4] = b"mine"

            def child() -> str:
                try:
                    mmap.__exit__(None, None, None)
                    inventory.__exit__(None, None, None)
                except BadState as error:
                    return str(error)
                return "left"

            assert in_child(child) == "left"
            buf = inventory.buf_get_by_data(mmap, mmap.addr, 4)
            kept = bytes(buf.view)
            buf.dec_refcount()
            return kept

    assert leave() == b"mine"


# Devices


def test_a_device_is_held_while_a_map_has_it(device: Device) -> None:
    other = open_device("b1:00.0")
    mmap = Mmap(device)
    mmap.add_dev(other)
    with pytest.raises(AlreadyExist):
        mmap.add_dev(other)
    with pytest.raises(InUse):
        other.close()
    mmap.rm_dev(other)
    with pytest.raises(NotFound):
        mmap.rm_dev(other)
    other.close()
    with pytest.raises(InvalidValue, match="open"):
        mmap.add_dev(other)
    with pytest.raises(InUse):
        device.close()
    mmap.destroy()


def test_as_many_devices_as_it_may_have(device: Device) -> None:
    mmap = Mmap(device)
    opened = [open_device(f"b1:00.{function}") for function in range(4)]
    assert mmap.max_num_devices == 8
    mmap.max_num_devices = len(opened)
    for other in opened[:-1]:
        mmap.add_dev(other)
    with pytest.raises(NoMemory, match="all 4 devices"):
        mmap.add_dev(opened[-1])
    mmap.max_num_devices += 1
    mmap.add_dev(opened[-1])
    for fewer in (0, mmap.max_num_devices - 1):
        with pytest.raises(InvalidValue):
            mmap.max_num_devices = fewer
    assert mmap.max_num_devices == 5
    mmap.set_memrange(SIZE)
    mmap.set_permissions(READ_WRITE)
    mmap.start()
    mmap.stop()
    with pytest.raises(NotPermitted, match="has been started before"):
        mmap.max_num_devices = 6
    mmap.destroy()
    for other in opened:
        other.close()


# Permissions


@pytest.mark.parametrize(
    ("permissions", "may"),
    [
        (AccessFlag.LOCAL_READ_ONLY, set()),
        (AccessFlag.LOCAL_READ_WRITE, set()),
        (AccessFlag.PCI_RELAXED_ORDERING, set()),
        (AccessFlag.PCI_READ_ONLY, {"pci"}),
        (READ_WRITE | AccessFlag.LOCAL_READ_WRITE, {"pci"}),
        (AccessFlag.RDMA_READ, {"rdma"}),
        (AccessFlag.RDMA_WRITE | AccessFlag.PCI_READ_ONLY, {"pci", "rdma"}),
        (AccessFlag.RDMA_ATOMIC, {"rdma"}),
    ],
)
def test_what_a_permission_permits(device: Device, permissions: AccessFlag, may: set[str]) -> None:
    """RDMA passes the permission and ends at the missing network."""
    with Mmap(device, SIZE, permissions) as mmap:
        if "pci" not in may:
            with pytest.raises(NotPermitted):
                mmap.export_pci(device)
        with pytest.raises(NotSupported if "rdma" in may else NotPermitted):
            mmap.export_rdma(device)
        assert not mmap.exported
        if "pci" in may:
            mmap.export_pci(device)
            assert mmap.exported


@pytest.mark.parametrize("wrong", [READ_WRITE | AccessFlag.PCI_READ_ONLY, 128, -1, "32", None])
def test_permissions_that_there_are_not(device: Device, wrong: Any) -> None:
    mmap = Mmap(device, SIZE)
    with pytest.raises(InvalidValue, match="AccessFlag"):
        mmap.set_permissions(wrong)
    with pytest.raises(InvalidValue, match="lacks permissions"):
        mmap.start()
    mmap.destroy()


def test_a_refused_number_that_python_does_not_write(device: Device) -> None:
    mmap = Mmap(device)
    with pytest.raises(InvalidValue, match="not a whole number of 16610 bits"):
        mmap._mmaps.set_memrange(mmap._handle, 10**5000)
    mmap.destroy()
