"""Buffers and the inventories that they are taken from (guide: DOCA Core Memory Subsystem, Buffers)."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from comch_next.driver.native._calls import Noun, as_pointer, call, destroy_call
from comch_next.driver.native._handle import Handle, Life, address, live
from comch_next.driver.native._library import Library, check, ffi, passed
from comch_next.driver.native._mmap import Mmap
from comch_next.driver.protocol import Lock, new_lock, uninterrupted
from comch_next.errors import BadState, NotSupported

__all__ = ["Buf", "BufInventories", "Bufs", "Inventory"]

_LOCK = new_lock()  # of all inventories, which have no thread safety of their own, and of their buffers


class InventoryLife(Life):
    """The life of an inventory; `out` are the pointers of the buffers that have not been given back."""

    def __init__(self, library: Library, pointer: Any) -> None:
        super().__init__(self._give_back, lock=_LOCK)
        self.library, self.pointer = library, pointer
        self.out: dict[Any, None] = {}

    def _give_back(self) -> None:
        for pointer in list(self.out):
            count = ffi.new("uint16_t *", 2)
            while count[0] > 1 and not self.library["doca_buf_dec_refcount"](pointer, count):
                pass  # until the last reference has gone; elements behind the head of a list go with it
        self.library["doca_buf_inventory_destroy"](self.pointer)


class Inventory(Handle, tag="doca_buf_inventory"):
    """A handle. `bufs` are the buffers that are out, which are its own until they are given back."""

    life: InventoryLife

    def __init__(self, library: Library, pointer: Any) -> None:
        self.bufs: dict[Any, Buf] = {}
        self.user_data: Any = None
        self.live_as(pointer, InventoryLife(library, pointer))

    def __str__(self) -> str:
        return "buffer inventory"


class Buf(Handle, tag="doca_buf"):
    """A handle. `behind` is the next one in its list."""

    def __init__(self, pointer: Any, inventory: Inventory, mmap: Mmap) -> None:
        self.inventory, self.mmap = inventory, mmap
        self.behind: Buf | None = None
        self.live_as(pointer, None)
        inventory.bufs[pointer] = self
        inventory.life.out[pointer] = None
        inventory.life.join(mmap.life)

    def __str__(self) -> str:
        return "buffer"

    @property
    def lock(self) -> Lock:
        return _LOCK

    def chain(self) -> "Iterator[Buf]":
        """It and those behind it."""
        element: Buf | None = self
        while element is not None:
            yield element
            element = element.behind

    def give_back(self) -> None:
        """Note that the element belongs to its inventory again."""
        self.inventory.bufs.pop(self.pointer, None)
        self.inventory.life.out.pop(self.pointer, None)
        self.behind = None
        self.gone()


class BufInventories(Noun):
    """The noun BufInventories of the driver protocol."""

    @uninterrupted
    def create(self, num_elements: int) -> Inventory:
        name, cell = "doca_buf_inventory_create", ffi.new("struct doca_buf_inventory **")
        passed(self.library[name], name, num_elements, cell)
        return Inventory(self.library, cell[0])

    destroy = destroy_call("doca_buf_inventory_destroy")
    start = call("doca_buf_inventory_start")
    stop = call("doca_buf_inventory_stop")

    def buf_get_by_args(self, inventory: object, mmap: object, addr: int, length: int, data: int, data_len: int) -> Buf:
        name = "doca_buf_inventory_buf_get_by_args"
        ranges = (as_pointer("void *", addr, name), length, as_pointer("void *", data, name), data_len)
        return self._take(inventory, mmap, name, *ranges)

    def buf_get_by_addr(self, inventory: object, mmap: object, addr: int, length: int) -> Buf:
        name = "doca_buf_inventory_buf_get_by_addr"
        return self._take(inventory, mmap, name, as_pointer("void *", addr, name), length)

    def buf_get_by_data(self, inventory: object, mmap: object, data: int, data_len: int) -> Buf:
        name = "doca_buf_inventory_buf_get_by_data"
        return self._take(inventory, mmap, name, as_pointer("void *", data, name), data_len)

    def _take(self, inventory: object, mmap: object, name: str, *ranges: Any) -> Buf:
        found, lies_in = live(inventory, Inventory, name), live(mmap, Mmap, name)
        cell = ffi.new("struct doca_buf **")
        with lies_in.lock, _LOCK:
            pointers = live(found, Inventory, name).pointer, live(lies_in, Mmap, name).pointer
            passed(self.library[name], name, *pointers, *ranges, cell)
            return Buf(cell[0], found, lies_in)

    def buf_dup(self, inventory: object, src_buf: object) -> Buf:
        name, cell = "doca_buf_inventory_buf_dup", ffi.new("struct doca_buf **")
        with _LOCK:
            found, source = live(inventory, Inventory, name), live(src_buf, Buf, name)
            check(self.library[name](found.pointer, source.pointer, cell), name)
            copies = []
            for element in source.chain():
                copies.append(Buf(cell[0], found, element.mmap))
                check(self.library["doca_buf_get_next_in_list"](cell[0], cell), "doca_buf_get_next_in_list")
            for before, behind in pairwise(copies):
                before.behind = behind
            return copies[0]

    def buf_reuse_by_args(self, buf: object, addr: int, length: int, data: int, data_len: int) -> None:
        raise NotSupported("buf_inventory_buf_reuse_by_args: the releases known here have no such function")

    def buf_reuse_by_addr(self, buf: object, addr: int, length: int) -> None:
        self.buf_reuse_by_args(buf, addr, length, addr, 0)

    def buf_reuse_by_data(self, buf: object, data: int, data_len: int) -> None:
        self.buf_reuse_by_args(buf, data, data_len, data, data_len)

    get_num_elements = call("doca_buf_inventory_get_num_elements")
    get_num_free_elements = call("doca_buf_inventory_get_num_free_elements")

    def set_user_data(self, inventory: object, user_data: object) -> None:
        live(inventory, Inventory, "doca_buf_inventory_set_user_data").user_data = user_data

    def get_user_data(self, inventory: object) -> Any:
        return live(inventory, Inventory, "doca_buf_inventory_get_user_data").user_data

    expand = call("doca_buf_inventory_expand")


class Bufs(Noun):
    """The noun Bufs of the driver protocol."""

    inc_refcount = call("doca_buf_inc_refcount")
    _dec_refcount = call("doca_buf_dec_refcount")
    _get_refcount = call("doca_buf_get_refcount")

    def dec_refcount(self, buf: object) -> int:
        with _LOCK:
            if isinstance(buf, Buf) and buf.is_gone():
                raise BadState("doca_buf_dec_refcount: the count is 0 already")
            before: int = self._dec_refcount(buf)
            if before == 1 and isinstance(buf, Buf):
                for element in list(buf.chain()):
                    element.give_back()
            return before

    def get_refcount(self, buf: object) -> int:
        with _LOCK:
            return 0 if isinstance(buf, Buf) and buf.is_gone() else int(self._get_refcount(buf))

    get_len = call("doca_buf_get_len")
    get_head = call("doca_buf_get_head")
    get_data_len = call("doca_buf_get_data_len")
    get_data = call("doca_buf_get_data")

    def get_view(self, buf: object) -> memoryview:
        found = live(buf, Buf, "get_view")
        view = found.mmap.view("get_view")
        start = self.get_data(buf) - address(found.mmap.memory)
        return view[start : start + self.get_data_len(buf)]

    set_data = call("doca_buf_set_data")
    set_data_len = call("doca_buf_set_data_len")
    reset_data_len = call("doca_buf_reset_data_len")

    # Lists

    def get_next_in_list(self, buf: object) -> Buf | None:
        return live(buf, Buf, "doca_buf_get_next_in_list").behind

    def get_last_in_list(self, buf: object) -> Buf:
        return list(live(buf, Buf, "doca_buf_get_last_in_list").chain())[-1]

    is_last_in_list = call("doca_buf_is_last_in_list")
    is_first_in_list = call("doca_buf_is_first_in_list")
    is_in_list = call("doca_buf_is_in_list")
    get_list_len = call("doca_buf_get_list_len")
    _chain_list = call("doca_buf_chain_list")
    _chain_list_tail = call("doca_buf_chain_list_tail")
    _unchain_list = call("doca_buf_unchain_list")

    def chain_list(self, list1: object, list2: object) -> None:
        with _LOCK:
            self._chain_list(list1, list2)
            self.get_last_in_list(list1).behind = live(list2, Buf, "doca_buf_chain_list")

    def chain_list_tail(self, list1_head: object, list1_tail: object, list2: object) -> None:
        with _LOCK:
            self._chain_list_tail(list1_head, list1_tail, list2)
            live(list1_tail, Buf, "doca_buf_chain_list_tail").behind = live(list2, Buf, "doca_buf_chain_list_tail")

    def unchain_list(self, list1: object, list2: object) -> None:
        with _LOCK:
            self._unchain_list(list1, list2)
            for element in live(list1, Buf, "doca_buf_unchain_list").chain():
                if element.behind is list2:
                    element.behind = None
