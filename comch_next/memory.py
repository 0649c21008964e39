"""Memory for the fast path: maps, inventories, buffers (guide: DOCA Core Memory Subsystem).

Addresses are numbers, as in C: a map begins at `mmap.addr`, so the byte `n` of it is at `mmap.addr + n`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from comch_next._alone import alone
from comch_next._buf import Buf, BufInventory
from comch_next._codes import AccessFlag
from comch_next._exits import exit_block, refuse_again
from comch_next._handles import handle_of
from comch_next._names import Hinted, Strict
from comch_next._origins import shown
from comch_next.arguments import UNSET, span
from comch_next.device import Device
from comch_next.driver import load
from comch_next.driver.protocol import Driver, new_lock
from comch_next.errors import InvalidValue, NotPermitted

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Buf", "BufInventory", "Mmap"]


class Mmap(Hinted, Strict):
    """A range of memory that devices may access (C: struct doca_mmap).

    Set a range, permissions and a device, then start the map. A `with` block starts and destroys it.
    """

    def __init__(
        self,
        device: Device | None = None,
        memory: int | bytearray | memoryview | Any = None,
        permissions: AccessFlag | None = None,
    ) -> None:
        """Create a map (C: doca_mmap_create); call add_dev, set_memrange and set_permissions for given arguments.

        memory: the size in bytes of memory that the library makes, or writable memory of the program's own, which
        costs a copy for everything that is received. Raises NoMemory, or what the calls raise.
        """
        self._driver: Driver = load() if device is None else _driver_of(device, "mmap_create")
        self._mmaps = self._driver.mmaps
        self._handle = self._mmaps.create()
        self._lock = new_lock()
        self._alive = True
        self._pid = os.getpid()
        try:
            if device is not None:
                self.add_dev(device)
            if memory is not None:
                self.set_memrange(memory)
            if permissions is not None:
                self.set_permissions(permissions)
        except BaseException:
            self.destroy()
            raise

    @classmethod
    def create_from_export(cls, export_desc: bytes, device: Device, user_data: object = None) -> Self:
        """Import memory that the other side exported, as a started map (C: doca_mmap_create_from_export).

        Raises InvalidValue if the descriptor is invalid or its process has ended, NotPermitted if that process denies
        access. If the exporter allocated the memory itself, tasks fail with IO_FAILED once it has ended.
        """
        made = cls.__new__(cls)
        made._driver = _driver_of(device, "mmap_create_from_export")
        made._mmaps = made._driver.mmaps
        made._handle = made._mmaps.create_from_export(user_data, export_desc, device._handle)
        made._lock = new_lock()
        made._alive = True
        made._pid = os.getpid()
        return made

    # Configuration, before start

    def add_dev(self, device: Device) -> None:
        """Add a device. Raises AlreadyExist, NoMemory at `max_num_devices`, NotPermitted once started."""
        self._mmaps.add_dev(self._handle, handle_of(device))

    def rm_dev(self, device: Device) -> None:
        """Remove a device. Raises NotFound if the map does not have it, NotPermitted once started."""
        self._mmaps.rm_dev(self._handle, handle_of(device))

    def dev_get_dpa_handle(self, device: Device) -> int:
        """Return the handle by which kernels use the map.

        Raises NotPermitted unless the map is started, and for an import; NotFound if it does not have the device.
        """
        return self._mmaps.dev_get_dpa_handle(self._handle, handle_of(device))

    @property
    def max_num_devices(self) -> int:
        """The largest number of devices; settable before the first start."""
        return self._mmaps.get_max_num_devices(self._handle)

    @max_num_devices.setter
    def max_num_devices(self, number: int) -> None:
        self._mmaps.set_max_num_devices(self._handle, number)

    def set_permissions(self, permissions: AccessFlag) -> None:
        """Set AccessFlag bits; a consumer's map needs PCI_READ_WRITE. Raises InvalidValue for both PCI ones."""
        self._mmaps.set_permissions(self._handle, permissions)

    def set_memrange(self, memory: int | bytearray | memoryview | Any, length: int = UNSET) -> None:
        """Set the memory, once: a number of bytes to allocate, or writable memory that you keep while the map lives.

        length: the bytes of that memory, which may then be an address.
        Raises NotPermitted if a range is set, NoMemory, InvalidValue for invalid memory.
        """
        if length is not UNSET:
            memory = span(memory, length)
        if isinstance(memory, int):
            self._mmaps.alloc_memrange(self._handle, memory)
        else:
            self._mmaps.set_memrange(self._handle, memory)

    def set_free_cb(self, callback: Callable[[int, int, Any], object], opaque: Any = None) -> None:
        """Call `callback(addr, length, opaque)` when the started map is destroyed."""
        self._mmaps.set_free_cb(self._handle, callback, opaque)

    def enable_thread_safety(self) -> None:
        """Let several threads take buffers of the map. Raises NotPermitted once started."""
        self._mmaps.enable_thread_safety(self._handle)

    @property
    def user_data(self) -> Any:
        """The program's own object; settable before start."""
        return self._mmaps.get_user_data(self._handle)

    @user_data.setter
    def user_data(self, user_data: Any) -> None:
        self._mmaps.set_user_data(self._handle, user_data)

    # Life

    def start(self) -> None:
        """Freeze the configuration and start the map. Raises InvalidValue if a setting is missing."""
        self._mmaps.start(self._handle)

    def stop(self) -> None:
        """Stop the map. Raises NotPermitted while buffers or consumers use it, and if it was exported or imported."""
        self._mmaps.stop(self._handle)

    @alone
    def destroy(self, *, strict: bool = False) -> None:
        """Stop and destroy the map. Raises NotPermitted while buffers or consumers use it,
        otherwise what the free callback raises. A second call does nothing; with `strict` it raises InvalidValue.
        """
        if self._alive:
            self._alive = False
            try:
                self._mmaps.destroy(self._handle)
            except NotPermitted:
                with suppress(InvalidValue):  # it is gone, and the refusal is the callback's own
                    self._alive = self.num_bufs >= 0
                raise
        elif strict:
            refuse_again(self)

    def __enter__(self) -> Self:
        if not self._mmaps.get_from_export(self._handle):
            self.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        exit_block(self, error, self.destroy)

    # Its memory

    @property
    def memrange(self) -> tuple[int, int]:
        """The address and the length in bytes. Raises BadState before a range is set."""
        return self._mmaps.get_memrange(self._handle)

    @property
    def addr(self) -> int:
        """The address at which the memory begins."""
        return self.memrange[0]

    @property
    def view(self) -> memoryview:
        """The bytes of the map; read-only for an import with read permission only.

        Raises NotSupported for an import of memory that the exporter allocated itself: only tasks reach it.
        """
        return self._mmaps.get_view(self._handle)

    def __len__(self) -> int:
        return self.memrange[1]

    def __bool__(self) -> bool:
        return True  # there, whatever len() says or raises

    @property
    def num_bufs(self) -> int:
        """The number of buffers that use the map."""
        return self._mmaps.get_num_bufs(self._handle)

    # Sharing

    def export_pci(self, device: Device) -> bytes:
        """Export the map and return the descriptor for `create_from_export`, valid while this process keeps the map.

        Raises NotPermitted unless started with a PCI permission, NotFound for a device that it does not have,
        NotSupported for memory of the program's own where Linux lets no process read another.
        """
        return self._mmaps.export_pci(self._handle, handle_of(device))

    def export_rdma(self, device: Device) -> bytes:
        """Export the map for the network. Raises NotSupported where there is none."""
        return self._mmaps.export_rdma(self._handle, handle_of(device))

    @property
    def exported(self) -> bool:
        """Whether the map has been exported."""
        return self._mmaps.get_exported(self._handle)

    @property
    def from_export(self) -> bool:
        """Whether the map is an import."""
        return self._mmaps.get_from_export(self._handle)


def _driver_of(device: Any, call: str) -> Driver:
    if not isinstance(device, Device):
        raise InvalidValue(f"{call} takes an open device, not {shown(device)}")
    return device._driver
