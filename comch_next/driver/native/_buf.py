"""Buffers and the inventories that they are taken from (guide: DOCA Core Memory Subsystem, Buffers)."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

from comch_next.driver.native._calls import Noun, as_pointer, call, destroy_call
from comch_next.driver.native._handle import Handle, Life, LockedLife, address, end_dropped, live
from comch_next.driver.native._kernel.calls import SUBMITTED
from comch_next.driver.native._library import Library, check, ffi, passed
from comch_next.driver.native._mmap import Mmap
from comch_next.driver.native._task import Task
from comch_next.driver.protocol import Lock, WeakSet, new_lock, quoted, uninterrupted
from comch_next.errors import BadState, InvalidValue, NotSupported

__all__ = ["Buf", "BufInventories", "Bufs", "Inventory"]

_LOCK = new_lock()  # of all inventories, which have no thread safety of their own, and of their buffers


class Inventory(Handle, tag="doca_buf_inventory"):
    """A handle."""

    life: Life

    def __init__(self, library: Library, pointer: Any) -> None:
        self.library = library
        self.user_data: Any = None
        self.live_as(pointer, Life(partial(library["doca_buf_inventory_destroy"], pointer), lock=_LOCK))

    def __str__(self) -> str:
        return "buffer inventory"


class BufLife(LockedLife):
    """The life of a buffer. `before` is that of the one before it in its list, which goes back with the first one."""

    def __init__(self, library: Library, pointer: Any, parents: Iterable[Life]) -> None:
        super().__init__(self._give_back, parents, _LOCK)
        self.library, self.pointer = library, pointer
        self.before: BufLife | None = None

    def settle(self) -> None:
        buf: Buf | None = self.handle()
        if buf is None or not buf.submitted():  # otherwise the library may write to it
            super().settle()

    def _give_back(self) -> None:
        count = ffi.new("uint16_t *", 2 if self.before is None else 0)
        while count[0] > 1 and not self.library["doca_buf_dec_refcount"](self.pointer, count):
            pass  # until the last reference has gone

    def follow(self, before: "BufLife") -> None:
        """Be behind that one in a list, which ends after this."""
        self.before = before
        self.join(before)

    def lead(self) -> None:
        """Be the first of a list, or none of any."""
        before, self.before = self.before, None
        if before is not None:
            self.leave(before)


class Buf(Handle, tag="doca_buf"):
    """A handle of `length` bytes of a map from address `head` on.

    `behind` is the next one in its list; `tasks` are those of the fast path that have it.
    """

    life: BufLife

    def __init__(self, pointer: Any, inventory: Inventory, mmap: Mmap, head: int, length: int) -> None:
        self.inventory, self.mmap = inventory, mmap
        self.head, self.length = head, length
        self.tasks: WeakSet[Task] = WeakSet()
        self.behind: Buf | None = None
        self.live_as(pointer, BufLife(inventory.library, pointer, [inventory.life, mmap.life]))

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

    def submitted(self) -> list[Task]:
        """Return the tasks with it that the library has."""
        return [task for task in self.tasks if task.owner is SUBMITTED]

    def is_chained(self) -> bool:
        """Whether it is in a list."""
        return self.behind is not None or self.life.before is not None

    def check_segment(self, data: int, data_len: int, name: str) -> None:
        """Raise InvalidValue unless the data segment would lie in it: for functions that refuse nothing."""
        if not (isinstance(data, int) and isinstance(data_len, int)):
            raise InvalidValue(f"{name} takes whole numbers, not {quoted(data)} and {quoted(data_len)}")
        if not self.head <= data <= data + data_len <= self.head + self.length:
            raise InvalidValue(f"{name}: the data segment must lie inside of the buffer")

    def append(self, other: "Buf") -> None:
        """Be followed by another one."""
        self.behind = other
        other.life.follow(self.life)

    def give_back(self) -> None:
        """Give it back to its inventory, with those behind it, as soon as the library has no task with it."""
        for element in list(self.chain()):
            element.behind = None
            element.gone()
            element.life.drop()


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

    @uninterrupted
    def buf_get_by_args(self, inventory: object, mmap: object, addr: int, length: int, data: int, data_len: int) -> Buf:
        name, cell = "doca_buf_inventory_buf_get_by_args", ffi.new("struct doca_buf **")
        found, lies_in = live(inventory, Inventory, name), live(mmap, Mmap, name)
        outer, inner = (as_pointer("void *", addr, name), length), (as_pointer("void *", data, name), data_len)
        end_dropped()
        with lies_in.lock, _LOCK:
            pointers = live(found, Inventory, name).pointer, live(lies_in, Mmap, name).pointer
            passed(self.library[name], name, *pointers, *outer, *inner, cell)
            return Buf(cell[0], found, lies_in, address(outer[0]), length)

    # These two are in the header alone, not in the library.

    def buf_get_by_addr(self, inventory: object, mmap: object, addr: int, length: int) -> Buf:
        return self.buf_get_by_args(inventory, mmap, addr, length, addr, 0)

    def buf_get_by_data(self, inventory: object, mmap: object, data: int, data_len: int) -> Buf:
        return self.buf_get_by_args(inventory, mmap, data, data_len, data, data_len)

    @uninterrupted
    def buf_dup(self, inventory: object, src_buf: object) -> Buf:
        name, cell = "doca_buf_inventory_buf_dup", ffi.new("struct doca_buf **")
        end_dropped()
        with _LOCK:
            found, source = live(inventory, Inventory, name), live(src_buf, Buf, name)
            check(self.library[name](found.pointer, source.pointer, cell), name)
            copies = []
            for element in source.chain():
                copies.append(Buf(cell[0], found, element.mmap, element.head, element.length))
                check(self.library["doca_buf_get_next_in_list"](cell[0], cell), "doca_buf_get_next_in_list")
            for before, behind in pairwise(copies):
                before.append(behind)
            return copies[0]

    def buf_reuse_by_args(self, buf: object, addr: int, length: int, data: int, data_len: int) -> None:
        raise NotSupported("buf_inventory_buf_reuse_by_args: the releases known here have no such function")

    def buf_reuse_by_addr(self, buf: object, addr: int, length: int) -> None:
        self.buf_reuse_by_args(buf, addr, length, addr, 0)

    def buf_reuse_by_data(self, buf: object, data: int, data_len: int) -> None:
        self.buf_reuse_by_args(buf, data, data_len, data, data_len)

    get_num_elements = call("doca_buf_inventory_get_num_elements")
    _get_num_free_elements = call("doca_buf_inventory_get_num_free_elements")

    def get_num_free_elements(self, inventory: object) -> int:
        end_dropped()
        return int(self._get_num_free_elements(inventory))

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
            found = live(buf, Buf, "doca_buf_dec_refcount")
            if self._get_refcount(found) > 1 or found.life.before is not None:
                return int(self._dec_refcount(found))
            found.give_back()
            return 1

    def get_refcount(self, buf: object) -> int:
        with _LOCK:
            return 0 if isinstance(buf, Buf) and buf.is_gone() else int(self._get_refcount(buf))

    get_len = call("doca_buf_get_len")
    get_head = call("doca_buf_get_head")
    get_data_len = call("doca_buf_get_data_len")
    get_data = call("doca_buf_get_data")

    def get_view(self, buf: object) -> memoryview:
        with _LOCK:
            found = live(buf, Buf, "get_view")
            view = found.mmap.view("get_view")
            start = self.get_data(buf) - address(found.mmap.memory)
            return view[start : start + self.get_data_len(buf)]

    _set_data = call("doca_buf_set_data")
    _set_data_len = call("doca_buf_set_data_len")

    def set_data(self, buf: object, data: int, data_len: int) -> None:
        live(buf, Buf, "doca_buf_set_data").check_segment(data, data_len, "doca_buf_set_data")
        self._set_data(buf, data, data_len)

    def set_data_len(self, buf: object, data_len: int) -> None:
        with _LOCK:
            found = live(buf, Buf, "doca_buf_set_data_len")
            found.check_segment(self.get_data(found), data_len, "doca_buf_set_data_len")
            self._set_data_len(buf, data_len)

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
            self.get_last_in_list(list1).append(live(list2, Buf, "doca_buf_chain_list"))

    def chain_list_tail(self, list1_head: object, list1_tail: object, list2: object) -> None:
        with _LOCK:
            self._chain_list_tail(list1_head, list1_tail, list2)
            live(list1_tail, Buf, "doca_buf_chain_list_tail").append(live(list2, Buf, "doca_buf_chain_list_tail"))

    def unchain_list(self, list1: object, list2: object) -> None:
        with _LOCK:
            self._unchain_list(list1, list2)
            split = live(list2, Buf, "doca_buf_unchain_list")
            for element in live(list1, Buf, "doca_buf_unchain_list").chain():
                if element.behind is split:
                    element.behind = None
                    split.life.lead()
