"""Memory maps: what buffers lie in (guide: DOCA Core Memory Subsystem)."""

import mmap as pages
from collections.abc import Callable
from functools import partial
from typing import Any

from comch_next.driver.native._calls import Noun, call, collecting
from comch_next.driver.native._device import Dev
from comch_next.driver.native._handle import Handle, Life, address, end_dropped, live, nobody
from comch_next.driver.native._library import Library, check, ffi, passed, refusal
from comch_next.driver.protocol import (
    NO_BUFFER,
    borrowed,
    by_system,
    interruptible,
    quoted,
    shielded,
    uninterrupted,
    uninterrupted_in_c,
)
from comch_next.errors import InvalidValue, NoMemory, NotPermitted, NotSupported

__all__ = ["Mmap", "Mmaps"]


class MmapLife(Life):
    """The life of a map: what the library uses of it until its end, and what its free callback has raised.

    `free_cb` is what C has of that. It reaches the program's through the handle, while there is one.
    """

    def __init__(self, library: Library, pointer: Any) -> None:
        super().__init__(partial(library["doca_mmap_destroy"], pointer))
        self.memory: Any = None
        self.free_cb: Any = None
        self.error: BaseException | None = None

    def keep(self, _kind: object, error: BaseException, _trace: object) -> None:
        """Keep what the free callback has raised."""
        self.error = error

    def freed(self, addr: Any, length: int, _cookie: object) -> None:
        """Call the program back."""
        mmap: Mmap | None = self.handle()
        if mmap is not None:
            interruptible(mmap.free_cb, address(addr), length, mmap.opaque)

    def drop(self) -> None:
        self.handle = nobody
        super().drop()

    def close_held(self) -> None:
        self.handle = nobody
        super().close_held()


class Mmap(Handle, tag="doca_mmap"):
    """A handle. `memory` is the range as this process sees it; None for an import, which lies on the other side."""

    life: MmapLife

    def __init__(self, library: Library, pointer: Any, user_data: object = None) -> None:
        self.memory: Any = None
        self.devices: dict[Dev, None] = {}
        self.user_data: Any = user_data
        self.free_cb: Callable[..., object] = nobody
        self.opaque: object = None
        self.live_as(pointer, MmapLife(library, pointer))

    def __str__(self) -> str:
        return "memory map"

    def view(self, name: str) -> memoryview:
        """The whole range, kept alive."""
        if self.memory is None:
            raise NotSupported(f"{name}: the memory of this map cannot be seen from here: it has none, or imports it")
        return memoryview(ffi.buffer(self.memory))


class Mmaps(Noun):
    """The noun Mmaps of the driver protocol."""

    @uninterrupted
    def create(self) -> Mmap:
        cell = ffi.new("struct doca_mmap **")
        check(self.library["doca_mmap_create"](cell), "doca_mmap_create")
        return Mmap(self.library, cell[0])

    @collecting
    @uninterrupted
    def destroy(self, mmap: object) -> None:
        name = "doca_mmap_destroy"
        found = live(mmap, Mmap, name)
        with found.lock:
            pointer = live(found, Mmap, name).pointer  # again: another thread may have done it
            found.gone()  # already: the library calls the program back, without the lock
        code = self.library[name](pointer)
        if code:
            found.pointer = pointer
            raise refusal(code, name)
        found.life.over()
        error, found.memory = found.life.error, None
        if error is not None:
            raise error
        if not found.is_gone():  # the free callback has forked: it is the parent's
            live(found, Mmap, name)

    start = call("doca_mmap_start")
    _stop = call("doca_mmap_stop")

    @collecting
    def stop(self, mmap: object) -> None:
        self._stop(mmap)

    @uninterrupted
    def add_dev(self, mmap: object, dev: object) -> None:
        name = "doca_mmap_add_dev"
        found, device = live(mmap, Mmap, name), live(dev, Dev, name)
        with found.lock, device.lock:
            check(self.library[name](live(found, Mmap, name).pointer, live(device, Dev, name).pointer), name)
            found.life.join(device.life)
            found.devices[device] = None  # kept: its handle closes it

    @uninterrupted
    def rm_dev(self, mmap: object, dev: object) -> None:
        name = "doca_mmap_rm_dev"
        found, device = live(mmap, Mmap, name), live(dev, Dev, name)
        with found.lock, device.lock:
            check(self.library[name](live(found, Mmap, name).pointer, live(device, Dev, name).pointer), name)
            del found.devices[device]
            found.life.leave(device.life)

    dev_get_dpa_handle = call("doca_mmap_dev_get_dpa_handle")
    set_dpa_memrange = call("doca_mmap_set_dpa_memrange")
    set_max_num_devices = call("doca_mmap_set_max_num_devices")
    get_max_num_devices = call("doca_mmap_get_max_num_devices")
    set_permissions = call("doca_mmap_set_permissions")

    @uninterrupted
    def set_memrange(self, mmap: object, memory: Any) -> None:
        name = "doca_mmap_set_memrange"
        try:
            held = ffi.from_buffer("char[]", borrowed(memory), require_writable=True)
        except by_system(*NO_BUFFER):
            raise InvalidValue(f"{name} takes writable memory in one piece, not {quoted(memory)}") from None
        self._set_range(live(mmap, Mmap, name), held)

    @uninterrupted
    def alloc_memrange(self, mmap: object, size: int) -> None:
        found = live(mmap, Mmap, "alloc_memrange")
        if type(size) is not int or size < 1:
            raise InvalidValue(f"alloc_memrange takes a size of one byte or more, not {quoted(size)}")
        with found.lock:
            if found.memory is not None:
                raise NotPermitted("alloc_memrange: the map has a range already; it is set once")
            try:
                memory = pages.mmap(-1, size)
            except by_system(OSError, OverflowError, ValueError) as error:
                raise NoMemory(f"alloc_memrange: {error}") from error
            self._set_range(found, ffi.from_buffer("char[]", memory))

    @uninterrupted
    def _set_range(self, found: Mmap, held: Any) -> None:
        name = "doca_mmap_set_memrange"
        with found.lock:
            check(self.library[name](live(found, Mmap, name).pointer, held, len(held)), name)
            found.memory = found.life.memory = held

    get_memrange = call("doca_mmap_get_memrange")

    def get_view(self, mmap: object) -> memoryview:
        return live(mmap, Mmap, "get_view").view("get_view")

    @uninterrupted
    def set_free_cb(self, mmap: object, free_cb: Callable[..., object], opaque: object) -> None:
        name = "doca_mmap_set_free_cb"
        found = live(mmap, Mmap, name)
        if not callable(free_cb):
            raise InvalidValue(f"{name} takes a callback, not {quoted(free_cb)}")
        life = found.life
        freed, keep = uninterrupted_in_c(life.freed), shielded(life.keep)  # as the callbacks of contexts
        made = ffi.callback("doca_mmap_memrange_free_cb_t *", freed, onerror=keep)
        with found.lock:
            check(self.library[name](live(found, Mmap, name).pointer, made, ffi.NULL), name)
            life.free_cb = made
            found.free_cb, found.opaque = free_cb, opaque

    def set_user_data(self, mmap: object, user_data: object) -> None:
        name = "doca_mmap_set_user_data"
        found = live(mmap, Mmap, name)
        with found.lock:
            pointer = live(found, Mmap, name).pointer
            check(self.library[name](pointer, 0), name)  # the object itself stays here; the library may refuse
            found.user_data = user_data

    def get_user_data(self, mmap: object) -> Any:
        return live(mmap, Mmap, "doca_mmap_get_user_data").user_data

    _get_num_bufs = call("doca_mmap_get_num_bufs")

    def get_num_bufs(self, mmap: object) -> int:
        end_dropped()
        return int(self._get_num_bufs(mmap))

    get_exported = call("doca_mmap_get_exported")
    get_from_export = call("doca_mmap_get_from_export")
    enable_thread_safety = call("doca_mmap_enable_thread_safety")
    cap_is_export_pci_supported = call("doca_mmap_cap_is_export_pci_supported")
    cap_is_create_from_export_pci_supported = call("doca_mmap_cap_is_create_from_export_pci_supported")

    def export_pci(self, mmap: object, dev: object) -> bytes:
        return self._export(mmap, dev, "doca_mmap_export_pci")

    def export_rdma(self, mmap: object, dev: object) -> bytes:
        return self._export(mmap, dev, "doca_mmap_export_rdma")

    def _export(self, mmap: object, dev: object, name: str) -> bytes:
        found, device = live(mmap, Mmap, name), live(dev, Dev, name)
        start, length = ffi.new("const void **"), ffi.new("size_t *")
        with found.lock, device.lock:
            pointers = live(found, Mmap, name).pointer, live(device, Dev, name).pointer
            check(self.library[name](*pointers, start, length), name)
            return bytes(ffi.buffer(start[0], length[0]))

    @uninterrupted
    def create_from_export(self, user_data: object, export_desc: Any, dev: object) -> Mmap:
        name = "doca_mmap_create_from_export"
        device, cell = live(dev, Dev, name), ffi.new("struct doca_mmap **")
        try:
            described = ffi.from_buffer("char[]", export_desc)
        except by_system(*NO_BUFFER):
            raise InvalidValue(f"{name} takes a bytes-like descriptor, not {quoted(export_desc)}") from None
        with device.lock:
            passed(self.library[name], name, ffi.NULL, described, len(described), live(device, Dev, name).pointer, cell)
            made = Mmap(self.library, cell[0], user_data)
            made.life.join(device.life)
        made.devices[device] = None
        return made
