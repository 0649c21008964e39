"""Inventories that buffers are taken from (guide: DOCA Core Memory Subsystem, Buffers). See _buf."""

from itertools import pairwise
from typing import Any

from comch_next.driver.emulated._buf import Buf, Inventory, changeable, check_segment, first_of_list
from comch_next.driver.emulated._checks import collecting, expect, expect_number, says_no_memory
from comch_next.driver.emulated._guard import UNCONNECTED, guard
from comch_next.driver.emulated._mmap import Mmap, living_mmap
from comch_next.driver.protocol import counted, refuse_kernel, them
from comch_next.errors import BadState, InUse, InvalidValue, NoMemory, NotPermitted

__all__ = ["BufInventories"]

_MOST_ELEMENTS = 1 << 24


def _alive(inventory: object, call: str) -> Inventory:
    found = expect(inventory, Inventory, call)
    if not found.alive:
        raise InvalidValue(f"{call}: the inventory has been destroyed; make another")
    return found


def _started(inventory: object, call: str) -> Inventory:
    found = _alive(inventory, call)
    if not found.started:
        raise BadState(f"{call}: the inventory is not started")
    return found


_of_inventory = guard("buf_inventory_", _alive)
_of_started = guard("buf_inventory_", _started)


class BufInventories:
    """The noun BufInventories of the driver protocol."""

    @says_no_memory
    def create(self, num_elements: int) -> Inventory:
        refuse_kernel("buf_inventory_create")
        return Inventory(expect_number(num_elements, _MOST_ELEMENTS, "buf_inventory_create"))

    @collecting(Inventory, lambda inventory: inventory.bufs)
    @_of_inventory
    def destroy(self, inventory: Inventory) -> None:
        if out := inventory.bufs:
            what = counted(out, "buffer is", "buffers are")
            raise InUse(f"buf_inventory_destroy: {what} still out; give {them(out)} back first")
        inventory.started = inventory.alive = False

    @_of_inventory
    def start(self, inventory: Inventory) -> None:
        inventory.started = True

    @_of_inventory
    def stop(self, inventory: Inventory) -> None:
        inventory.started = False

    def buf_get_by_args(self, inventory: object, mmap: object, addr: int, length: int, data: int, data_len: int) -> Buf:
        return self._get_by_args("buf_inventory_buf_get_by_args", inventory, mmap, addr, length, data, data_len)

    def buf_get_by_addr(self, inventory: object, mmap: object, addr: int, length: int) -> Buf:
        return self._get_by_args("buf_inventory_buf_get_by_addr", inventory, mmap, addr, length, addr, 0)

    def buf_get_by_data(self, inventory: object, mmap: object, data: int, data_len: int) -> Buf:
        return self._get_by_args("buf_inventory_buf_get_by_data", inventory, mmap, data, data_len, data, data_len)

    def _get_by_args(
        self, call: str, inventory: object, mmap: object, addr: int, length: int, data: int, data_len: int
    ) -> Buf:
        with UNCONNECTED:
            found, lies_in = _alive(inventory, call), living_mmap(mmap, call)
            if not (found.started and lies_in.started):
                raise BadState(f"{call}: inventory and memory map must be started first")
            _check_range(lies_in, addr, length, data, data_len, call)
            return self._take(found, lies_in, addr, length, data, data_len)

    @_of_inventory
    def buf_dup(self, inventory: Inventory, src_buf: object) -> Buf:
        source = first_of_list(src_buf, "buf_inventory_buf_dup")
        if not (inventory.started and source.mmap.started):
            raise BadState("buf_inventory_buf_dup: inventory and memory map must be started first")
        elements = list(source.chain())
        if inventory.elements - inventory.bufs < len(elements):
            raise NoMemory(f"buf_inventory_buf_dup: the list has {counted(len(elements), 'element')}, fewer are free")
        copies = [self._take(inventory, one.mmap, one.head, one.len, one.data, one.data_len) for one in elements]
        for before, behind in pairwise(copies):
            before.next, behind.previous = behind, before
        return copies[0]

    def buf_reuse_by_args(self, buf: object, addr: int, length: int, data: int, data_len: int) -> None:
        with UNCONNECTED:
            found = changeable(buf, "buf_inventory_buf_reuse_by_args")
            if found.next is not None or found.previous is not None:
                raise NotPermitted("buf_inventory_buf_reuse_by_args takes a buffer that is in no list")
            _check_range(found.mmap, addr, length, data, data_len, "buf_inventory_buf_reuse_by_args")
            found.head, found.len, found.data, found.data_len = addr, length, data, data_len

    def buf_reuse_by_addr(self, buf: object, addr: int, length: int) -> None:
        self.buf_reuse_by_args(buf, addr, length, addr, 0)

    def buf_reuse_by_data(self, buf: object, data: int, data_len: int) -> None:
        self.buf_reuse_by_args(buf, data, data_len, data, data_len)

    def _take(self, inventory: Inventory, mmap: Mmap, head: int, length: int, data: int, data_len: int) -> Buf:
        if inventory.bufs >= inventory.elements:
            raise NoMemory(f"all {inventory.elements} elements of the inventory are out; give some back")
        buf = Buf(inventory, mmap, head, length, data, data_len)
        if not mmap.alive:  # since it was checked, by a finalizer; from now on the buffer keeps it
            buf.give_back()
            raise InvalidValue("the memory map of the buffer has been destroyed meanwhile; make another")
        return buf

    @_of_inventory
    def get_num_elements(self, inventory: Inventory) -> int:
        return inventory.elements

    @_of_inventory
    def get_num_free_elements(self, inventory: Inventory) -> int:
        return inventory.elements - inventory.bufs

    @_of_started
    def set_user_data(self, inventory: Inventory, user_data: object) -> None:
        inventory.user_data = user_data

    @_of_inventory
    def get_user_data(self, inventory: Inventory) -> Any:
        return inventory.user_data

    @_of_started
    def expand(self, inventory: Inventory, num_elements: int) -> None:
        inventory.elements += expect_number(num_elements, _MOST_ELEMENTS - inventory.elements, "buf_inventory_expand")


def _check_range(mmap: Mmap, addr: int, length: int, data: int, data_len: int, call: str) -> None:
    for number in (addr, length, data, data_len):
        expect_number(number, (1 << 64) - 1, call, least=0)
    if not (length and mmap.addr <= addr and addr + length <= mmap.addr + mmap.size):
        raise InvalidValue(f"{call}: the range is empty or outside of the memory map")
    if any(buf.head < addr + length and addr < buf.head + buf.len for buf in mmap.given_up):
        raise InvalidValue(f"{call}: a buffer that was given back is still posted there; wait for its task's end")
    check_segment(addr, length, data, data_len, call)
