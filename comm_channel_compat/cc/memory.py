"""Memory for the fast path: maps, inventories, buffers (guide: DOCA Core Memory Subsystem).

A C pointer to memory is its address, a number; as an argument a writable buffer stands for its own address.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import comch_next as comch
from comch_next import InvalidValue
from comch_next.arguments import UNSET, address, cut, span
from comm_channel_compat._devices import Device
from comm_channel_compat._known import remember
from comm_channel_compat._old_calls import old_call
from comm_channel_compat.cc._arguments import count, function, unwrap

__all__ = ["Buf", "BufInventory", "Mmap"]

Memory = Any  # an address, or a writable buffer


class _OfMemory:
    """What each of them has: the object of comch_next, until it is destroyed."""

    _compat_modern: Any

    @property
    def modern(self) -> Any:
        """The object of comch_next; InvalidValue once it has been destroyed."""
        modern = self._compat_modern  # once: another thread may destroy it in between
        if modern is None:
            raise InvalidValue(f"the {type(self).__name__} has been destroyed; make another")
        return modern

    def destroy(self) -> None:
        """Destroy the object."""
        self.modern.destroy()
        self._compat_modern = None


@old_call("doca_mmap_")
class Mmap(_OfMemory):
    """A range of memory that devices may use (C: struct doca_mmap)."""

    @old_call("doca_mmap_create")
    def __init__(self) -> None:
        self._compat_modern = comch.Mmap()
        remember(self, self._compat_modern)

    @classmethod
    def create_from_export(
        cls, user_data: object, export_desc: bytes, export_desc_len: int = UNSET, dev: Device | None = None
    ) -> Mmap:
        """Make a started map of the other side's memory."""
        device = unwrap(dev, Device, "dev")
        made = cls.__new__(cls)
        made._compat_modern = comch.Mmap.create_from_export(cut(export_desc, export_desc_len), device, user_data)
        remember(made, made._compat_modern)
        return made

    def add_dev(self, dev: Device) -> None:
        """Let a device use the map; before start."""
        self.modern.add_dev(unwrap(dev, Device, "dev"))

    def rm_dev(self, dev: Device) -> None:
        """Remove a device from the map; before start."""
        self.modern.rm_dev(unwrap(dev, Device, "dev"))

    def set_permissions(self, access_mask: int) -> None:
        """Set DOCA_ACCESS_FLAG_* bits; a consumer's map needs PCI_READ_WRITE."""
        self.modern.set_permissions(count(access_mask, "access_mask"))

    def set_memrange(self, addr: Memory, len: int) -> None:  # noqa: A002  # the C name
        """Set the memory: a writable buffer, or an address of memory that stays as long as the map."""
        self.modern.set_memrange(span(addr, len))

    def get_memrange(self) -> tuple[int, int]:
        """Return the address and the length."""
        memrange: tuple[int, int] = self.modern.memrange
        return memrange

    def set_max_num_devices(self, max_num_devices: int) -> None:
        """Set how many devices the map may have; before the first start."""
        self.modern.max_num_devices = count(max_num_devices, "max_num_devices")

    def get_max_num_devices(self) -> int:
        """Return how many devices the map may have."""
        number: int = self.modern.max_num_devices
        return number

    def set_free_cb(self, free_cb: Callable[[int, int, Any], object], opaque: Any) -> None:
        """Call `free_cb(addr, len, opaque)` when the started map is destroyed."""
        self.modern.set_free_cb(function(free_cb, "free_cb"), opaque)

    def set_user_data(self, user_data: object) -> None:
        """Keep any object with the map; before start."""
        self.modern.user_data = user_data

    def get_user_data(self) -> Any:
        """Return the object that was set; None before."""
        return self.modern.user_data

    def start(self) -> None:
        """Start the map: its configuration is final."""
        self.modern.start()

    def stop(self) -> None:
        """Stop the map. Raises NotPermitted while buffers or consumers lie in it."""
        self.modern.stop()

    def export_pci(self, dev: Device) -> bytes:
        """Return the descriptor that `create_from_export` takes on the other side."""
        described: bytes = self.modern.export_pci(unwrap(dev, Device, "dev"))
        return described

    def get_num_bufs(self) -> int:
        """Return how many buffers lie in the map."""
        number: int = self.modern.num_bufs
        return number

    def get_exported(self) -> bool:
        """Return whether the map has been exported."""
        return bool(self.modern.exported)

    def get_from_export(self) -> bool:
        """Return whether the map is an import."""
        return bool(self.modern.from_export)


@old_call("doca_buf_inventory_")
class BufInventory(_OfMemory):
    """A fixed number of buffers to take (C: struct doca_buf_inventory)."""

    @old_call("doca_buf_inventory_create")
    def __init__(self, num_elements: int) -> None:
        self._compat_modern = comch.BufInventory(count(num_elements, "num_elements"))
        remember(self, self._compat_modern)

    def start(self) -> None:
        """Start the inventory: buffers can be taken."""
        self.modern.start()

    def stop(self) -> None:
        """Stop the inventory: no more buffers can be taken, and those that were taken stay valid."""
        self.modern.stop()

    def buf_get_by_addr(self, mmap: Mmap, addr: Memory, len: int) -> Buf:  # noqa: A002  # the C name
        """Return a buffer over a range of the map with an empty data segment, to receive into."""
        args = unwrap(mmap, Mmap, "mmap"), address(addr, "addr"), count(len, "len")
        return Buf(self.modern.buf_get_by_addr(*args))

    def buf_get_by_data(self, mmap: Mmap, data: Memory, data_len: int) -> Buf:
        """Return a buffer over a range of the map, all of which is the data segment, to send."""
        args = unwrap(mmap, Mmap, "mmap"), address(data, "data"), count(data_len, "data_len")
        return Buf(self.modern.buf_get_by_data(*args))

    def buf_get_by_args(self, mmap: Mmap, addr: Memory, len: int, data: Memory, data_len: int) -> Buf:  # noqa: A002
        """Return a buffer over a range of the map with a given data segment."""
        outer = address(addr, "addr"), count(len, "len")
        inner = address(data, "data"), count(data_len, "data_len")
        return Buf(self.modern.buf_get_by_args(unwrap(mmap, Mmap, "mmap"), *outer, *inner))

    def buf_dup(self, src_buf: Buf) -> Buf:
        """Return another buffer over the same bytes."""
        return Buf(self.modern.buf_dup(unwrap(src_buf, Buf, "src_buf")))

    def get_num_elements(self) -> int:
        """Return how many buffers the inventory has."""
        number: int = self.modern.num_elements
        return number

    def get_num_free_elements(self) -> int:
        """Return how many buffers can still be taken."""
        number: int = self.modern.num_free_elements
        return number

    def set_user_data(self, user_data: object) -> None:
        """Keep any object with the inventory, once it is started."""
        self.modern.user_data = user_data

    def get_user_data(self) -> Any:
        """Return the object that was set; None before."""
        return self.modern.user_data


@old_call("doca_buf_")
class Buf:
    """A range of a map and, inside of it, a data segment (C: struct doca_buf)."""

    def __init__(self, modern: comch.Buf) -> None:
        self.modern = modern

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Buf) and self.modern == other.modern

    def __hash__(self) -> int:
        return hash(self.modern)

    def get_head(self) -> int:
        """Return the address at which the range begins."""
        return self.modern.head

    def get_len(self) -> int:
        """Return the length of the range in bytes."""
        return len(self.modern)

    def get_data(self) -> int:
        """Return the address at which the data segment begins."""
        return self.modern.data

    def get_data_len(self) -> int:
        """Return the length of the data segment in bytes."""
        return self.modern.data_len

    def set_data(self, data: Memory, data_len: int) -> None:
        """Move and size the data segment."""
        self.modern.set_data(address(data, "data"), count(data_len, "data_len"))

    def reset_data_len(self) -> None:
        """Empty the data segment where it is."""
        self.modern.reset_data_len()

    def get_refcount(self) -> int:
        """Return how many references there are."""
        return self.modern.refcount

    def inc_refcount(self) -> int:
        """Add a reference. Returns the count before."""
        return self.modern.inc_refcount()

    def dec_refcount(self) -> int:
        """Drop a reference, and with the last one the buffer. Returns the count before."""
        return self.modern.dec_refcount()

    # Lists, which other libraries take; the channel refuses them

    def chain_list(self, list2: Buf) -> None:
        """Append another list."""
        self.modern.chain_list(unwrap(list2, Buf, "list2"))

    def unchain_list(self, list2: Buf) -> None:
        """Split the list before an element."""
        self.modern.unchain_list(unwrap(list2, Buf, "list2"))

    def get_next_in_list(self) -> Buf | None:
        """Return the next element, None at the end."""
        following = self.modern.next_in_list
        return None if following is None else Buf(following)

    def get_last_in_list(self) -> Buf:
        """Return the last element."""
        return Buf(self.modern.last_in_list)

    def get_list_len(self) -> int:
        """Return the number of elements from this one on."""
        return self.modern.list_len

    def is_first_in_list(self) -> bool:
        """Return whether the element is the first."""
        return self.modern.is_first_in_list

    def is_last_in_list(self) -> bool:
        """Return whether the element is the last."""
        return self.modern.is_last_in_list

    def is_in_list(self) -> bool:
        """Return whether the element is chained."""
        return self.modern.is_in_list
