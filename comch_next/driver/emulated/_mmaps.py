"""The calls of memory maps (guide: DOCA Core Memory Subsystem)."""

import os
from collections.abc import Callable
from functools import partial
from typing import Any

from comch_next.driver.emulated._checks import collecting, expect, expect_callback, expect_number, says_no_memory
from comch_next.driver.emulated._device import Dev
from comch_next.driver.emulated._dpa.handles import living
from comch_next.driver.emulated._dpa.instance import Dpa
from comch_next.driver.emulated._export import MEMFD
from comch_next.driver.emulated._guard import UNCONNECTED, Find, guard
from comch_next.driver.emulated._kernel.fork import refuse_inherited
from comch_next.driver.emulated._kernel.memory import ffi, make_shared, map_shared
from comch_next.driver.emulated._mmap import PCI, Mmap, living_mmap
from comch_next.driver.emulated._sharing import ALL, Sharing
from comch_next.driver.protocol import (
    NO_BUFFER,
    borrowed,
    by_system,
    interruptible,
    listed,
    quoted,
    refuse_kernel,
    uninterrupted,
)
from comch_next.errors import (
    AlreadyExist,
    BadState,
    DocaError,
    InvalidValue,
    NoMemory,
    NotFound,
    NotPermitted,
)

__all__ = ["Mmaps"]

_MOST_BYTES = 1 << 40


def _configurable(while_started: type[DocaError]) -> Find[Mmap]:
    """Find a living map that is not started."""

    def find(mmap: object, call: str) -> Mmap:
        found = living_mmap(mmap, call)
        if found.started:
            state = "an import, which cannot be configured" if found.imported else "started; stop it first"
            raise while_started(f"{call}: the memory map is {state}")
        return found

    return find


_collecting = collecting(Mmap, lambda mmap: mmap.users)
_living = guard("mmap_", living_mmap)
_stopped = guard("mmap_", _configurable(BadState))
_fixed_devices = guard("mmap_", _configurable(NotPermitted))


class Mmaps(Sharing):
    """The noun Mmaps of the driver protocol."""

    @says_no_memory
    def create(self) -> Mmap:
        refuse_kernel("mmap_create")
        return Mmap()

    def destroy(self, mmap: object) -> None:
        notify = self._end(mmap)
        if notify is not None:
            interruptible(notify)  # without the lock: it is the program's
            refuse_inherited(mmap)

    @uninterrupted
    @_collecting
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
            raise InvalidValue(f"mmap_start: the memory map lacks {listed(missing)}")
        mmap.started = mmap.ever_started = True

    @_collecting
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
    def dev_get_dpa_handle(self, mmap: Mmap, dev: object) -> int:
        device = expect(dev, Dev, "mmap_dev_get_dpa_handle")
        if not mmap.started or mmap.imported:
            state = "an import" if mmap.imported else "not started; start it first"
            raise NotPermitted(f"mmap_dev_get_dpa_handle: the memory map is {state}")
        if device not in mmap.devices:
            raise NotFound("mmap_dev_get_dpa_handle: the map does not have this device; add it before the map starts")
        return mmap.show()

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
        if not isinstance(access_mask, int) or access_mask & ~int(ALL) or access_mask & PCI == PCI:
            text = "mmap_set_permissions takes AccessFlag bits, only one of the two PCI ones"
            raise InvalidValue(f"{text}, not {quoted(access_mask)}")
        mmap.permissions = int(access_mask)

    @_stopped
    @uninterrupted
    def set_memrange(self, mmap: Mmap, memory: Any) -> None:
        try:
            held = ffi.from_buffer("char[]", borrowed(memory), require_writable=True)
        except by_system(*NO_BUFFER):
            raise InvalidValue(f"mmap_set_memrange takes writable memory in one piece, not {quoted(memory)}") from None
        self._set_range(mmap, held, len(held), -1)

    def set_dpa_memrange(self, mmap: object, dpa: object, dpa_addr: int, length: int) -> None:
        call = "mmap_set_dpa_memrange"
        with UNCONNECTED:  # another thread may allocate memory meanwhile
            memory = living(Dpa)(dpa, call).bytes_at(dpa_addr, length, call)
        self.set_memrange(mmap, memory)

    @says_no_memory
    @_stopped
    @uninterrupted
    def alloc_memrange(self, mmap: Mmap, size: int) -> None:
        expect_number(size, _MOST_BYTES, "mmap_alloc_memrange")
        if mmap.size:
            self._set_range(mmap, None, size, -1)
        fd = make_shared(MEMFD, size, commit=True)
        try:
            self._set_range(mmap, map_shared(fd, size), size, fd)
        except BaseException:
            os.close(fd)
            raise

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
        return mmap.bufs

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
