"""Memory for the fast path: maps, inventories, buffers (guide: DOCA Core Memory Subsystem).

Addresses are numbers, as in C: a map begins at `mmap.addr`, so the byte `n` of it is at `mmap.addr + n`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from comch_next._codes import AccessFlag
from comch_next._exits import leave
from comch_next._handles import handle_of
from comch_next._names import Hinted, Strict, spelled
from comch_next.device import Device
from comch_next.driver import load, protocol
from comch_next.driver.protocol import Driver
from comch_next.errors import InvalidValue

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Buf", "BufInventory", "Mmap"]


class Mmap(Hinted, Strict):
    """A range of memory that devices may use (C: struct doca_mmap).

    Give it a range, permissions and a device, then start it; a `with` block starts and destroys it.
    """

    def __init__(
        self,
        device: Device | None = None,
        memory: int | bytearray | memoryview | Any = None,
        permissions: AccessFlag | None = None,
    ) -> None:
        """C: doca_mmap_create, and what is given of add_dev, set_memrange and set_permissions.

        memory: the size in bytes of memory that the library makes, or writable memory of the program's own, which
        costs a copy for everything that is received. Raises NoMemory, or what the calls raise.
        """
        self._driver: Driver = load() if device is None else _driver_of(device, "mmap_create")
        self._mmaps = self._driver.mmaps
        self._handle = self._mmaps.create()
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
        """The other side's memory as a map of this side, started (C: doca_mmap_create_from_export).

        Raises InvalidValue for what is no export or has gone with its process, NotPermitted when that does not let us.
        """
        made = cls.__new__(cls)
        made._driver = _driver_of(device, "mmap_create_from_export")
        made._mmaps = made._driver.mmaps
        made._handle = made._mmaps.create_from_export(user_data, export_desc, device._handle)
        made._alive = True
        made._pid = os.getpid()
        return made

    # Configuration, before start

    def add_dev(self, device: Device) -> None:
        """Raises AlreadyExist, NoMemory when it has as many as it may, NotPermitted once started."""
        self._mmaps.add_dev(self._handle, handle_of(device))

    def rm_dev(self, device: Device) -> None:
        """Raises NotFound for a device that it does not have, NotPermitted once started."""
        self._mmaps.rm_dev(self._handle, handle_of(device))

    @property
    def max_num_devices(self) -> int:
        """How many devices it may have; settable before the first start."""
        return self._mmaps.get_max_num_devices(self._handle)

    @max_num_devices.setter
    def max_num_devices(self, number: int) -> None:
        self._mmaps.set_max_num_devices(self._handle, number)

    def set_permissions(self, permissions: AccessFlag) -> None:
        """AccessFlag bits; a consumer's map needs PCI_READ_WRITE. Raises InvalidValue for both PCI ones."""
        self._mmaps.set_permissions(self._handle, permissions)

    def set_memrange(self, memory: int | bytearray | memoryview | Any) -> None:
        """Once: bytes of memory to make, or writable memory that the program keeps for as long as the map lives.

        Raises NotPermitted when there is a range already, NoMemory, InvalidValue for memory that is none.
        """
        if isinstance(memory, int):
            self._mmaps.alloc_memrange(self._handle, memory)
        else:
            self._mmaps.set_memrange(self._handle, memory)

    def set_free_cb(self, callback: Callable[[int, int, Any], object], opaque: Any = None) -> None:
        """Call `callback(addr, length, opaque)` when the started map is destroyed."""
        self._mmaps.set_free_cb(self._handle, callback, opaque)

    def enable_thread_safety(self) -> None:
        """Let several threads take buffers of it. Raises NotPermitted once started."""
        self._mmaps.enable_thread_safety(self._handle)

    @property
    def user_data(self) -> Any:
        """Anything; settable before start."""
        return self._mmaps.get_user_data(self._handle)

    @user_data.setter
    def user_data(self, user_data: Any) -> None:
        self._mmaps.set_user_data(self._handle, user_data)

    # Life

    def start(self) -> None:
        """Freeze the configuration. Raises InvalidValue when something is lacking."""
        self._mmaps.start(self._handle)

    def stop(self) -> None:
        """Raises NotPermitted while buffers or consumers lie in it, and for one that was exported or imported."""
        self._mmaps.stop(self._handle)

    def destroy(self) -> None:
        """Stop and give it back; twice is harmless. Raises NotPermitted while buffers or consumers lie in it,
        otherwise what the free callback raises.
        """
        if self._alive:
            self._alive = self.num_bufs > 0  # what lies in it keeps it; else it is gone, whatever its callback raises
            self._mmaps.destroy(self._handle)

    def __enter__(self) -> Self:
        if not self._mmaps.get_from_export(self._handle):
            self.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._pid == os.getpid():  # a forked child leaves the block, too, and has nothing to destroy
            leave(error, self.destroy)

    # Its memory

    @property
    def memrange(self) -> tuple[int, int]:
        """Address and length in bytes. Raises BadState before there is one."""
        return self._mmaps.get_memrange(self._handle)

    @property
    def addr(self) -> int:
        """Where it begins."""
        return self.memrange[0]

    @property
    def view(self) -> memoryview:
        """All of its bytes; read-only for an import that may only be read."""
        return self._mmaps.get_view(self._handle)

    def __len__(self) -> int:
        return self.memrange[1]

    @property
    def num_bufs(self) -> int:
        """Buffers and consumers that lie in it."""
        return self._mmaps.get_num_bufs(self._handle)

    # Sharing

    def export_pci(self, device: Device) -> bytes:
        """What `create_from_export` on the other side takes, for as long as this process keeps the map.

        Raises NotPermitted unless started with a PCI permission, NotFound for a device that it does not have,
        NotSupported for memory of the program's own.
        """
        return self._mmaps.export_pci(self._handle, handle_of(device))

    def export_rdma(self, device: Device) -> bytes:
        """The same for the network. Raises NotSupported where there is none."""
        return self._mmaps.export_rdma(self._handle, handle_of(device))

    @property
    def exported(self) -> bool:
        """Whether it has been exported."""
        return self._mmaps.get_exported(self._handle)

    @property
    def from_export(self) -> bool:
        """Whether it is an import."""
        return self._mmaps.get_from_export(self._handle)


def _driver_of(device: Any, call: str) -> Driver:
    if not isinstance(device, Device):
        raise InvalidValue(f"{call} takes an open device, not {device!r}")
    return device._driver


class BufInventory(Hinted, Strict):
    """A fixed number of buffers to take (C: struct doca_buf_inventory). A `with` block starts and destroys it."""

    def __init__(self, num_elements: int, driver: str | None = None) -> None:
        """C: doca_buf_inventory_create."""
        self._driver = load(driver)
        self._inventories = self._driver.buf_inventories
        self._handle = self._inventories.create(num_elements)
        self._alive = True
        self._pid = os.getpid()

    def start(self) -> None:
        """Buffers can be taken from now on."""
        self._inventories.start(self._handle)

    def stop(self) -> None:
        """No more buffers; those that are out stay good."""
        self._inventories.stop(self._handle)

    def destroy(self) -> None:
        """Raises InUse while buffers are out; twice is harmless."""
        if self._alive:
            self._inventories.destroy(self._handle)
            self._alive = False

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._pid == os.getpid():  # a forked child leaves the block, too, and has nothing to destroy
            leave(error, self.destroy)

    def buf_get_by_addr(self, mmap: Mmap, addr: int, length: int) -> Buf:
        """A buffer over that range of the map with an empty data segment: one to receive into.

        Raises NoMemory when none is free, InvalidValue for a range outside of the map, or where a buffer that was given
        back is still posted, BadState before the start of either. C: doca_buf_inventory_buf_get_by_addr.
        """
        return Buf(self, self._inventories.buf_get_by_addr(self._handle, handle_of(mmap), addr, length))

    def buf_get_by_data(self, mmap: Mmap, data: int, data_len: int) -> Buf:
        """The same with all of it as the data segment: one to send."""
        return Buf(self, self._inventories.buf_get_by_data(self._handle, handle_of(mmap), data, data_len))

    def buf_get_by_args(self, mmap: Mmap, addr: int, length: int, data: int, data_len: int) -> Buf:
        """The same with the data segment given, which lies inside of the range."""
        handle = self._inventories.buf_get_by_args(self._handle, handle_of(mmap), addr, length, data, data_len)
        return Buf(self, handle)

    def buf_dup(self, buf: Buf) -> Buf:
        """Another buffer, or list of buffers, over the same bytes."""
        return Buf(self, self._inventories.buf_dup(self._handle, handle_of(buf)))

    def buf_reuse_by_addr(self, buf: Buf, addr: int, length: int) -> None:
        """Point a buffer at another range of its map, with an empty data segment, instead of taking a new one.

        The buffer keeps its map and its references. Raises InvalidValue for a range outside of the map, InUse while
        it is posted, NotPermitted for one in a list. C: doca_buf_inventory_buf_reuse_by_addr.
        """
        self._inventories.buf_reuse_by_addr(handle_of(buf), addr, length)

    def buf_reuse_by_data(self, buf: Buf, data: int, data_len: int) -> None:
        """Point a buffer at another range of its map, all of which is the data segment."""
        self._inventories.buf_reuse_by_data(handle_of(buf), data, data_len)

    def buf_reuse_by_args(self, buf: Buf, addr: int, length: int, data: int, data_len: int) -> None:
        """Point a buffer at another range of its map, with the data segment given, which lies inside of the range."""
        self._inventories.buf_reuse_by_args(handle_of(buf), addr, length, data, data_len)

    @property
    def num_elements(self) -> int:
        """How many buffers it has."""
        return self._inventories.get_num_elements(self._handle)

    @property
    def num_free_elements(self) -> int:
        """How many of them are not out."""
        return self._inventories.get_num_free_elements(self._handle)

    def expand(self, num_elements: int) -> None:
        """So many more. Raises BadState unless started."""
        self._inventories.expand(self._handle, num_elements)

    @property
    def user_data(self) -> Any:
        """Anything; settable once started."""
        return self._inventories.get_user_data(self._handle)

    @user_data.setter
    def user_data(self, user_data: Any) -> None:
        self._inventories.set_user_data(self._handle, user_data)


@spelled
class Buf:
    """A range of a map and, inside of it, a data segment (C: struct doca_buf). Taken from an inventory."""

    __slots__ = ("_bufs", "_handle", "inventory")

    def __init__(self, inventory: BufInventory, handle: protocol.Buf) -> None:
        self.inventory = inventory
        self._bufs = inventory._driver.bufs
        self._handle = handle

    @property
    def head(self) -> int:
        """Where the range begins: an address."""
        return self._bufs.get_head(self._handle)

    def __len__(self) -> int:
        return self._bufs.get_len(self._handle)

    @property
    def data(self) -> int:
        """Where the data segment begins: an address."""
        return self._bufs.get_data(self._handle)

    @property
    def data_len(self) -> int:
        """Bytes of the data segment; settable as far as the range goes."""
        return self._bufs.get_data_len(self._handle)

    @data_len.setter
    def data_len(self, data_len: int) -> None:
        self._bufs.set_data_len(self._handle, data_len)

    def set_data(self, data: int, data_len: int) -> None:
        """Move and size the data segment. Raises InvalidValue unless it lies in the range."""
        self._bufs.set_data(self._handle, data, data_len)

    def reset_data_len(self) -> None:
        """Empty the data segment where it is: received data is appended to it."""
        self._bufs.reset_data_len(self._handle)

    @property
    def view(self) -> memoryview:
        """The bytes of the data segment."""
        return self._bufs.get_view(self._handle)

    # References: at 0 it goes back to its inventory

    @property
    def refcount(self) -> int:
        """How many references there are."""
        return self._bufs.get_refcount(self._handle)

    def inc_refcount(self) -> int:
        """One more; the count before. Raises TooBig at 65535, NotPermitted inside of a list."""
        return self._bufs.inc_refcount(self._handle)

    def dec_refcount(self) -> int:
        """Give a reference up; the count before. At 0 the buffer goes back to its inventory, with its list.

        A posted buffer is gone for the program at once, and counts as out, and its range as taken, until its task
        has completed or its consumer has stopped: what a producer writes there meanwhile meets nobody. Raises
        BadState at 0, NotPermitted for an element of a list that is not its head.
        """
        return self._bufs.dec_refcount(self._handle)

    # Lists, which other libraries take; Comch refuses them

    def chain_list(self, other: Buf) -> None:
        """Append another list. Raises NotPermitted when it is shared or not a head."""
        self._bufs.chain_list(self._handle, handle_of(other))

    def chain_list_tail(self, tail: Buf, other: Buf) -> None:
        """The same with the tail known."""
        self._bufs.chain_list_tail(self._handle, handle_of(tail), handle_of(other))

    def unchain_list(self, other: Buf) -> None:
        """Split before `other`. Raises InvalidValue when it is not inside."""
        self._bufs.unchain_list(self._handle, handle_of(other))

    @property
    def next_in_list(self) -> Buf | None:
        """The next element, None at the end."""
        found = self._bufs.get_next_in_list(self._handle)
        return None if found is None else Buf(self.inventory, found)

    @property
    def last_in_list(self) -> Buf:
        """The last element."""
        return Buf(self.inventory, self._bufs.get_last_in_list(self._handle))

    @property
    def list_len(self) -> int:
        """Elements from here on. Raises NotPermitted unless this is the head."""
        return self._bufs.get_list_len(self._handle)

    @property
    def is_first_in_list(self) -> bool:
        """Whether nothing lies before it."""
        return self._bufs.is_first_in_list(self._handle)

    @property
    def is_last_in_list(self) -> bool:
        """Whether nothing lies behind it."""
        return self._bufs.is_last_in_list(self._handle)

    @property
    def is_in_list(self) -> bool:
        """Whether it is chained."""
        return self._bufs.is_in_list(self._handle)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Buf) and self._handle is other._handle

    def __hash__(self) -> int:
        return hash(id(self._handle))
