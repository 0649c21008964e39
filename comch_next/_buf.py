"""Buffers and the inventories that they are taken from (guide: DOCA Core Memory Subsystem, Buffers)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeAlias

from comch_next._alone import alone
from comch_next._exits import exit_block, refuse_again
from comch_next._handles import handle_of
from comch_next._names import CNames, Hinted, Strict, spelled
from comch_next.arguments import address
from comch_next.driver import load, protocol

if TYPE_CHECKING:
    from typing_extensions import Self

    from comch_next.memory import Mmap

__all__ = ["Buf", "BufInventory"]

Memory: TypeAlias = "int | bytearray | memoryview | Any"  # an address, or a writable buffer


class BufInventory(Hinted, Strict):
    """A pool of buffers (C: struct doca_buf_inventory). A `with` block starts and destroys it."""

    def __init__(self, num_elements: int, driver: str | None = None) -> None:
        """Create an inventory of `num_elements` buffers (C: doca_buf_inventory_create).

        Raises InvalidValue for an invalid number.
        """
        self._driver = load(driver)
        self._inventories = self._driver.buf_inventories
        self._handle = self._inventories.create(num_elements)
        self._lock = protocol.new_lock()
        self._alive = True
        self._pid = os.getpid()

    def start(self) -> None:
        """Start the inventory: buffers can be taken."""
        self._inventories.start(self._handle)

    def stop(self) -> None:
        """Stop the inventory: no more buffers can be taken. Those that are out stay valid."""
        self._inventories.stop(self._handle)

    @alone
    def destroy(self, *, strict: bool = False) -> None:
        """Destroy the inventory. Raises InUse while buffers are out.

        A second call does nothing; with `strict` it raises InvalidValue.
        """
        if self._alive:
            self._inventories.destroy(self._handle)
            self._alive = False
        elif strict:
            refuse_again(self)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        exit_block(self, error, self.destroy)

    def buf_get_by_addr(self, mmap: Mmap, addr: Memory, length: int) -> Buf:
        """Take a buffer over a range of the map, with an empty data segment: one to receive into.

        addr: a number, or a writable buffer, which stands for its own address.

        Raises NoMemory when none is free, InvalidValue for a range outside of the map, or where a buffer that was given
        back is still posted, BadState before the start of either. C: doca_buf_inventory_buf_get_by_addr.
        """
        start = address(addr, "addr")
        return Buf(self, self._inventories.buf_get_by_addr(self._handle, handle_of(mmap), start, length))

    def buf_get_by_data(self, mmap: Mmap, data: Memory, data_len: int) -> Buf:
        """Take a buffer over a range of the map, all of which is the data segment: one to send.

        Raises as buf_get_by_addr.
        """
        start = address(data, "data")
        return Buf(self, self._inventories.buf_get_by_data(self._handle, handle_of(mmap), start, data_len))

    def buf_get_by_args(self, mmap: Mmap, addr: Memory, length: int, data: Memory, data_len: int) -> Buf:
        """Take a buffer over a range of the map, with a data segment inside it. Raises as buf_get_by_addr."""
        outer, inner = (address(addr, "addr"), length), (address(data, "data"), data_len)
        handle = self._inventories.buf_get_by_args(self._handle, handle_of(mmap), *outer, *inner)
        return Buf(self, handle)

    def buf_dup(self, buf: Buf) -> Buf:
        """Take another buffer, or list of buffers, over the bytes of one."""
        return Buf(self, self._inventories.buf_dup(self._handle, handle_of(buf)))

    def buf_reuse_by_addr(self, buf: Buf, addr: int, length: int) -> None:
        """Point a buffer at another range of its map, with an empty data segment, instead of taking a new one.

        The buffer keeps its map and its references. Raises InvalidValue for a range outside of the map, InUse while
        it is posted, NotPermitted for one in a list. C: doca_buf_inventory_buf_reuse_by_addr.
        """
        self._inventories.buf_reuse_by_addr(handle_of(buf), addr, length)

    def buf_reuse_by_data(self, buf: Buf, data: int, data_len: int) -> None:
        """Point a buffer at another range of its map, all of which is the data segment. Raises as buf_reuse_by_addr."""
        self._inventories.buf_reuse_by_data(handle_of(buf), data, data_len)

    def buf_reuse_by_args(self, buf: Buf, addr: int, length: int, data: int, data_len: int) -> None:
        """Point a buffer at another range of its map, with a data segment inside it. Raises as buf_reuse_by_addr."""
        self._inventories.buf_reuse_by_args(handle_of(buf), addr, length, data, data_len)

    @property
    def num_elements(self) -> int:
        """The number of buffers of the inventory."""
        return self._inventories.get_num_elements(self._handle)

    @property
    def num_free_elements(self) -> int:
        """The number of buffers that can be taken."""
        return self._inventories.get_num_free_elements(self._handle)

    def expand(self, num_elements: int) -> None:
        """Add buffers to the inventory. Raises BadState unless it is started."""
        self._inventories.expand(self._handle, num_elements)

    @property
    def user_data(self) -> Any:
        """The program's own object; settable once the inventory is started."""
        return self._inventories.get_user_data(self._handle)

    @user_data.setter
    def user_data(self, user_data: Any) -> None:
        self._inventories.set_user_data(self._handle, user_data)


@spelled
class Buf(CNames):
    """A buffer: a range of a map with a data segment inside it (C: struct doca_buf). Inventories hand buffers out."""

    __slots__ = ("_bufs", "_handle", "inventory")

    def __init__(self, inventory: BufInventory, handle: protocol.Buf) -> None:
        self.inventory = inventory
        self._bufs = inventory._driver.bufs
        self._handle = handle

    @property
    def head(self) -> int:
        """The address at which the range begins."""
        return self._bufs.get_head(self._handle)

    def __len__(self) -> int:
        return self._bufs.get_len(self._handle)

    def __bool__(self) -> bool:
        return True  # there, whatever len() says or raises

    @property
    def data(self) -> int:
        """The address at which the data segment begins."""
        return self._bufs.get_data(self._handle)

    @property
    def data_len(self) -> int:
        """The length of the data segment, in bytes; settable within the range."""
        return self._bufs.get_data_len(self._handle)

    @data_len.setter
    def data_len(self, data_len: int) -> None:
        self._bufs.set_data_len(self._handle, data_len)

    def set_data(self, data: Memory, data_len: int) -> None:
        """Move and size the data segment. Raises InvalidValue unless it lies in the range."""
        self._bufs.set_data(self._handle, address(data, "data"), data_len)

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
        """The number of references to the buffer."""
        return self._bufs.get_refcount(self._handle)

    def inc_refcount(self) -> int:
        """Add a reference and return the count before. Raises TooBig at 65535, NotPermitted inside a list."""
        return self._bufs.inc_refcount(self._handle)

    def dec_refcount(self) -> int:
        """Drop a reference and return the count before. At 0 the buffer returns to its inventory, with its list.

        The program cannot use a posted buffer any more. Until its task has completed or its consumer has stopped, the
        buffer still counts as out and its range as taken, so a producer may write there meanwhile. Raises BadState
        at 0, NotPermitted for an element of a list that is not its head.
        """
        return self._bufs.dec_refcount(self._handle)

    # Lists, which other libraries take; Comch refuses them

    def chain_list(self, other: Buf) -> None:
        """Append another list. Raises NotPermitted if it is shared or not a head."""
        self._bufs.chain_list(self._handle, handle_of(other))

    def chain_list_tail(self, tail: Buf, other: Buf) -> None:
        """Append another list, given the tail of this one."""
        self._bufs.chain_list_tail(self._handle, handle_of(tail), handle_of(other))

    def unchain_list(self, other: Buf) -> None:
        """Split the list before `other`. Raises InvalidValue if it is not in the list."""
        self._bufs.unchain_list(self._handle, handle_of(other))

    @property
    def next_in_list(self) -> Buf | None:
        """The next element; None at the end."""
        found = self._bufs.get_next_in_list(self._handle)
        return None if found is None else Buf(self.inventory, found)

    @property
    def last_in_list(self) -> Buf:
        """The last element of the list."""
        return Buf(self.inventory, self._bufs.get_last_in_list(self._handle))

    @property
    def list_len(self) -> int:
        """The number of elements. Raises NotPermitted unless this is the head."""
        return self._bufs.get_list_len(self._handle)

    @property
    def is_first_in_list(self) -> bool:
        """Whether the buffer is the first of its list."""
        return self._bufs.is_first_in_list(self._handle)

    @property
    def is_last_in_list(self) -> bool:
        """Whether the buffer is the last of its list."""
        return self._bufs.is_last_in_list(self._handle)

    @property
    def is_in_list(self) -> bool:
        """Whether the buffer is in a list."""
        return self._bufs.is_in_list(self._handle)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Buf) and self._handle is other._handle

    def __hash__(self) -> int:
        return hash(id(self._handle))
