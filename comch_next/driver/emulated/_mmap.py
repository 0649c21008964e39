"""Memory maps: what buffers lie in, and how the two sides share it (guide: DOCA Core Memory Subsystem).

A map's memory is the library's own, in a memfd that can be handed to the other side, or the program's, which
cannot: what comes from the other side for it goes through a copy.
"""

import os
from collections.abc import Callable
from functools import partial
from typing import Any
from weakref import WeakSet

from comch_next._codes import AccessFlag
from comch_next.driver.emulated._checks import expect, expect_callback, expect_number, in_use, says_no_memory
from comch_next.driver.emulated._device import Dev, DevInfo, asked
from comch_next.driver.emulated._export import MEMFD, Export
from comch_next.driver.emulated._guard import UNCONNECTED, Find, guard
from comch_next.driver.emulated._kernel.fork import owned
from comch_next.driver.emulated._kernel.handle import Handle
from comch_next.driver.emulated._kernel.memory import EXHAUSTED, ffi, make_shared, map_shared
from comch_next.driver.protocol import interruptible, uninterrupted
from comch_next.driver.protocol._typed import Protocol
from comch_next.errors import (
    AlreadyExist,
    BadState,
    DocaError,
    InvalidValue,
    NoMemory,
    NotFound,
    NotPermitted,
    NotSupported,
)

__all__ = ["Mmap", "Mmaps", "check_device", "living_mmap"]

_ONE_PCI = (AccessFlag.PCI_READ_ONLY, AccessFlag.PCI_READ_WRITE)
PCI = AccessFlag.PCI_READ_ONLY | AccessFlag.PCI_READ_WRITE
RDMA = AccessFlag.RDMA_READ | AccessFlag.RDMA_WRITE | AccessFlag.RDMA_ATOMIC
_ALL = RDMA | PCI | AccessFlag.LOCAL_READ_WRITE | AccessFlag.PCI_RELAXED_ORDERING
_MOST_DEVICES = 8
_MOST_BYTES = 1 << 40


class Range(Protocol):
    """A buffer, as its map sees it: addresses, and bytes."""

    head: int
    len: int


class Mmap(Handle):
    """A handle. `base` is a `char *` once there is a range, which lives for as long as somebody has it. `fd` is -1 for
    memory of the program's.
    """

    lock = UNCONNECTED

    def __init__(self) -> None:
        self.devices: list[Dev] = []
        self.max_devices = _MOST_DEVICES
        self.permissions: int | None = None
        self.base: Any = None
        self.addr = 0
        self.size = 0
        self.fd = -1
        self.bufs = 0  # buffers that lie in it
        self.consumers: WeakSet[object] = WeakSet()  # that lie in it
        self.given_up: set[Range] = set()  # posted buffers that the program has given back
        self.user_data: Any = None
        self.free_cb: Callable[..., object] | None = None
        self.free_data: Any = None
        self.started = False
        self.ever_started = False
        self.exported = False
        self.imported = False
        self.alive = True
        owned(self)

    def __str__(self) -> str:
        return "memory map"

    @property
    def users(self) -> int:
        """Buffers and consumers that lie in it."""
        return self.bufs + len(self.consumers)

    def check_unused(self, call: str) -> None:
        """Raise NotPermitted while something lies in it that the program has not dropped."""
        if users := in_use(lambda: self.users):
            raise NotPermitted(f"{call}: {users} buffers or consumers still lie in the map; end them first")

    def let_go(self) -> None:
        """In a forked child: see _kernel.fork. The memory itself stays mapped."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def allows(self, flag: AccessFlag) -> bool:
        """Whether the permission has been given."""
        return bool((self.permissions or 0) & flag)

    def use(self, memory: Any, size: int, fd: int = -1) -> None:
        """Take this memory as the range."""
        self.base = memory
        self.addr, self.size, self.fd = int(ffi.cast("uintptr_t", memory)), size, fd

    def view(self) -> memoryview:
        """The whole range; it keeps the memory alive. Read-only where the permissions say so."""
        found = memoryview(ffi.buffer(self.base, self.size))
        return found if self.writable() else found.toreadonly()

    def writable(self) -> bool:
        """Whether this side may write: an import as far as the exporter lets it."""
        return not self.imported or self.allows(AccessFlag.PCI_READ_WRITE)

    def release(self) -> None:
        """Give the memory back, once views of it are gone, too."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
        self.base = None
        for device in self.devices:
            device.users.discard(self)
        self.devices = []
        self.alive = False


def living_mmap(mmap: object, call: str) -> Mmap:
    """The map behind the handle; one that has been destroyed is INVALID_VALUE, as NULL is."""
    found = expect(mmap, Mmap, call)
    if not found.alive:
        raise InvalidValue(f"{call}: the memory map has been destroyed; make another")
    return found


def check_device(mmap: Mmap, dev: Dev, call: str) -> None:
    """Raise InvalidValue unless the map's memory is registered with the device."""
    if dev not in mmap.devices:
        raise InvalidValue(f"{call} takes memory whose map has the connection's {dev}; add it before the map starts")


def _configurable(while_started: type[DocaError]) -> Find[Mmap]:
    """Find a living map that is not started."""

    def find(mmap: object, call: str) -> Mmap:
        found = living_mmap(mmap, call)
        if found.started:
            state = "an import, which cannot be configured" if found.imported else "started; stop it first"
            raise while_started(f"{call}: the memory map is {state}")
        return found

    return find


_living = guard("mmap_", living_mmap)
_stopped = guard("mmap_", _configurable(BadState))
_fixed_devices = guard("mmap_", _configurable(NotPermitted))


class Mmaps:
    """The noun Mmaps of the driver protocol."""

    @says_no_memory
    def create(self) -> Mmap:
        return Mmap()

    def destroy(self, mmap: object) -> None:
        notify = self._end(mmap)
        if notify is not None:
            interruptible(notify)  # without the lock: it is the program's

    @uninterrupted
    def _end(self, mmap: object) -> Callable[[], object] | None:
        """Give the memory back. The call of the program's that is to be made then, if any."""
        with UNCONNECTED:
            found = living_mmap(mmap, "mmap_destroy")
            found.check_unused("mmap_destroy")
            free_cb = found.free_cb if found.started and not found.imported else None
            notify = None if free_cb is None else partial(free_cb, found.addr, found.size, found.free_data)
            found.release()
            return notify

    @_living
    def start(self, mmap: Mmap) -> None:
        if mmap.imported or mmap.exported:
            raise NotPermitted("mmap_start: the map is an import or has been exported; it is started for good")
        lacking = {"a range": mmap.size, "a device": mmap.devices, "permissions": mmap.permissions is not None}
        if missing := [what for what, given in lacking.items() if not given]:
            raise InvalidValue(f"mmap_start: the memory map lacks {' and '.join(missing)}")
        mmap.started = mmap.ever_started = True

    @_living
    def stop(self, mmap: Mmap) -> None:
        if mmap.imported or mmap.exported:
            raise NotPermitted("mmap_stop: the map is an import or has been exported; destroy it instead")
        mmap.check_unused("mmap_stop")
        mmap.started = False

    @_fixed_devices
    @uninterrupted
    def add_dev(self, mmap: Mmap, dev: object) -> None:
        device = expect(dev, Dev, "mmap_add_dev")
        if not device.open:
            raise InvalidValue("mmap_add_dev takes a device that is open")
        if device in mmap.devices:
            raise AlreadyExist("mmap_add_dev: the map has this device already")
        if len(mmap.devices) >= mmap.max_devices:
            raise NoMemory(f"mmap_add_dev: the map has all {mmap.max_devices} devices that it may have")
        mmap.devices.append(device)
        device.users.add(mmap)

    @_fixed_devices
    @uninterrupted
    def rm_dev(self, mmap: Mmap, dev: object) -> None:
        device = expect(dev, Dev, "mmap_rm_dev")
        if device not in mmap.devices:
            raise NotFound("mmap_rm_dev: the map does not have this device")
        mmap.devices.remove(device)
        device.users.discard(mmap)

    @_living
    def set_max_num_devices(self, mmap: Mmap, number: int) -> None:
        if mmap.ever_started:
            raise NotPermitted("mmap_set_max_num_devices: the map has been started before")
        least = max(1, len(mmap.devices))
        mmap.max_devices = expect_number(number, 1 << 16, "mmap_set_max_num_devices", least=least)

    @_living
    def get_max_num_devices(self, mmap: Mmap) -> int:
        return mmap.max_devices

    @_stopped
    def set_permissions(self, mmap: Mmap, access_mask: int) -> None:
        if not isinstance(access_mask, int) or access_mask & ~int(_ALL) or access_mask & PCI == PCI:
            text = f"mmap_set_permissions takes AccessFlag bits, only one of the two PCI ones, not {access_mask!r}"
            raise InvalidValue(text)
        mmap.permissions = int(access_mask)

    @_stopped
    @uninterrupted
    def set_memrange(self, mmap: Mmap, memory: Any) -> None:
        try:
            held = ffi.from_buffer("char[]", memory, require_writable=True)
        except (TypeError, BufferError, ValueError):
            raise InvalidValue(f"mmap_set_memrange takes writable memory in one piece, not {memory!r}") from None
        self._set_range(mmap, held, len(held), -1)

    @says_no_memory
    @_stopped
    @uninterrupted
    def alloc_memrange(self, mmap: Mmap, size: int) -> None:
        expect_number(size, _MOST_BYTES, "mmap_alloc_memrange")
        if mmap.size:
            self._set_range(mmap, None, size, -1)
        fd = make_shared(MEMFD, size, commit=True)
        try:
            memory = map_shared(fd, size)
        except BaseException:
            os.close(fd)
            raise
        self._set_range(mmap, memory, size, fd)

    def _set_range(self, mmap: Mmap, memory: Any, size: int, fd: int) -> None:
        if mmap.size:
            raise NotPermitted("mmap_set_memrange: the map has a range already; it is set once")
        if not size:
            raise InvalidValue("mmap_set_memrange takes a range of one byte or more")
        mmap.use(memory, size, fd)

    @_living
    def get_memrange(self, mmap: Mmap) -> tuple[int, int]:
        if not mmap.size:
            raise BadState("mmap_get_memrange: the memory map has no range yet; set one first")
        return mmap.addr, mmap.size

    @_living
    def get_view(self, mmap: Mmap) -> memoryview:
        self.get_memrange(mmap)
        return mmap.view()

    @_stopped
    def set_free_cb(self, mmap: Mmap, free_cb: Callable[..., object], opaque: object) -> None:
        expect_callback(free_cb, "mmap_set_free_cb")
        mmap.free_cb, mmap.free_data = free_cb, opaque

    @_stopped
    def set_user_data(self, mmap: Mmap, user_data: object) -> None:
        mmap.user_data = user_data

    @_living
    def get_user_data(self, mmap: Mmap) -> Any:
        return mmap.user_data

    @_living
    def get_num_bufs(self, mmap: Mmap) -> int:
        return mmap.users

    @_living
    def get_exported(self, mmap: Mmap) -> bool:
        return mmap.exported

    @_living
    def get_from_export(self, mmap: Mmap) -> bool:
        return mmap.imported

    @_living
    def enable_thread_safety(self, mmap: Mmap) -> None:
        # which every call here is: the interpreter sees to it
        if mmap.started or mmap.users:
            raise NotPermitted("mmap_enable_thread_safety: the map is started or has buffers")

    # Sharing

    def cap_is_export_pci_supported(self, devinfo: object) -> bool:
        call = "mmap_cap_is_export_pci_supported"
        return asked(expect(devinfo, DevInfo, call), call).capable

    def cap_is_create_from_export_pci_supported(self, devinfo: object) -> bool:
        call = "mmap_cap_is_create_from_export_pci_supported"
        return asked(expect(devinfo, DevInfo, call), call).capable

    @says_no_memory
    @_living
    def export_pci(self, mmap: Mmap, dev: object) -> bytes:
        _check_exportable(mmap, dev, PCI, "mmap_export_pci")
        if mmap.fd < 0:
            text = "memory of the program's own cannot be shared here; let the library make it (alloc_memrange)"
            raise NotSupported(f"mmap_export_pci: {text}")
        assert mmap.permissions is not None
        export = Export.of(mmap.fd, mmap.permissions, mmap.size)
        mmap.exported = True
        return export.encode()

    @_living
    def export_rdma(self, mmap: Mmap, dev: object) -> bytes:
        _check_exportable(mmap, dev, RDMA, "mmap_export_rdma")
        raise NotSupported("mmap_export_rdma: the emulated devices have no network")

    @says_no_memory
    @uninterrupted
    def create_from_export(self, user_data: object, export_desc: Any, dev: object) -> Mmap:
        call = "mmap_create_from_export"
        device = expect(dev, Dev, call)
        if not device.open:
            raise InvalidValue(f"{call} takes a device that is open")
        row = asked(device.info, call)
        if not row.capable:
            raise NotSupported(f"{call}: device {row.pci_addr} cannot import")
        export = Export.decode(export_desc)
        if export.permissions & ~int(_ALL) or export.permissions & PCI not in _ONE_PCI:
            raise InvalidValue(f"{call}: no map that is exported has these permissions")
        mmap = Mmap()
        mmap.permissions, mmap.user_data = export.permissions, user_data
        own = export.open()
        try:
            mmap.use(map_shared(own, export.size, committed=True), export.size, own)
        except BaseException as error:
            os.close(own)
            if isinstance(error, OSError) and error.errno not in EXHAUSTED:
                raise InvalidValue(f"{call}: the memory cannot be mapped: {error}") from error
            raise
        mmap.devices.append(device)
        device.users.add(mmap)
        mmap.started = mmap.ever_started = mmap.imported = True
        return mmap


def _check_exportable(mmap: Mmap, dev: object, wanted: AccessFlag, call: str) -> None:
    device = expect(dev, Dev, call)
    if mmap.imported or not mmap.started or not mmap.allows(wanted):
        raise NotPermitted(f"{call} takes a map that is started, no import, and has permission for it")
    if device not in mmap.devices:
        raise NotFound(f"{call}: the map does not have this device")
    row = asked(device.info, call)
    if not row.capable:
        raise NotSupported(f"{call}: device {row.pci_addr} cannot export")
