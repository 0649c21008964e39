"""Buffers and the inventories that they are taken from (guide: DOCA Core Memory Subsystem, Buffers).

Calls that change something have the lock of what has no engine, and change it in statements without a call in between:
there no signal's handler comes, so none of them is left half done.
"""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from comch_next.driver.emulated._checks import expect, expect_number
from comch_next.driver.emulated._guard import UNCONNECTED
from comch_next.driver.emulated._kernel import calls
from comch_next.driver.emulated._kernel.fork import owned
from comch_next.driver.emulated._mmap import Mmap
from comch_next.driver.protocol import KERNELS, uninterrupted
from comch_next.errors import BadState, InUse, InvalidValue, NotPermitted, TooBig

__all__ = ["Buf", "Bufs", "Inventory", "changeable", "check_segment", "check_single", "first_of_list"]

_P = ParamSpec("_P")
_T = TypeVar("_T")
_MOST_REFERENCES = 65535


class Inventory(calls.BufOwner):
    """A handle. Its elements are only counted, in `bufs`: a buffer is made when it is taken."""

    lock = UNCONNECTED

    def __init__(self, elements: int) -> None:
        self.elements = elements
        self.started = False
        self.alive = True
        self.user_data: Any = None
        owned(self)

    def __str__(self) -> str:
        return "buffer inventory"

    def let_go(self) -> None:
        """In a forked child: see _kernel.fork. It has nothing to close."""


class Buf(calls.Buf):
    """A handle: `len` bytes of a map from address `head` on, and in them the data segment.

    While it is `posted` it is the library's: what a producer writes counts on it staying as it is. One that the
    program gives back meanwhile is dead at once for the program, and its range and element are the library's until
    the task completes. A dropped one gives its element back when it is collected, in C: nothing interrupts that.
    """

    __slots__ = ()

    next: "Buf | None"
    previous: "Buf | None"

    def __init__(self, inventory: Inventory, mmap: Mmap, head: int, length: int, data: int, data_len: int) -> None:
        self.take_from(inventory, mmap)
        self.head, self.len = head, length
        self.data, self.data_len = data, data_len
        self.posted = False
        self.remote = mmap.remote is not None

    def chain(self) -> "Iterator[Buf]":
        """It and those behind it."""
        element: Buf | None = self
        while element is not None:
            yield element
            element = element.next

    def let_go(self) -> None:
        """Note that the task of a buffer that was given up is over."""
        with UNCONNECTED:
            self.mmap.given_up -= {self}
            self.give_back()


def check_single(buf: object, mmap: Mmap | None, call: str) -> Buf:
    """A buffer that is alive, not chained, and of the map, where one is given; INVALID_VALUE otherwise."""
    found = _living(buf, call)
    if found.posted:
        raise InvalidValue(f"{call} takes a buffer that is not posted; wait for the completion of its task")
    if found.next is not None or found.previous is not None:
        raise InvalidValue(f"{call} takes a single buffer: chained ones are not supported by Comch")
    if mmap is not None and found.mmap is not mmap:
        raise InvalidValue(f"{call} takes a buffer inside of the consumer's memory map, which is taken from that map")
    return found


def _living(buf: object, call: str) -> Buf:
    found = expect(buf, Buf, call)
    if not (found.inventory.alive and found.refcount):  # in this order: what a fork has left of an inventory refuses
        raise InvalidValue(f"{call}: the buffer has gone back to its inventory")
    return found


def changeable(buf: object, call: str) -> Buf:
    found = _living(buf, call)
    if found.posted:
        raise InUse(f"{call}: the buffer is posted; wait for the completion of its task")
    return found


def first_of_list(buf: object, call: str) -> Buf:
    found = _living(buf, call)
    if found.previous is not None:
        raise NotPermitted(f"{call} takes the head of a list")
    return found


def check_segment(head: int, length: int, data: int, data_len: int, call: str) -> None:
    if not head <= data <= data + data_len <= head + length:
        raise InvalidValue(f"{call}: the data segment must lie inside of the buffer")


def _alone(call: Callable[_P, _T]) -> Callable[_P, _T]:
    """Decorate a call of several buffers: one thread at a time makes one."""

    @wraps(call)
    def locked(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        with UNCONNECTED:
            return call(*args, **kwargs)

    return locked


@uninterrupted
def _give_back_all(head: Buf) -> None:
    for element in list(head.chain()):
        element.give_back()


class Bufs:
    """The noun Bufs of the driver protocol."""

    def inc_refcount(self, buf: object) -> int:
        with UNCONNECTED:
            found = first_of_list(buf, "buf_inc_refcount")
            if found.refcount >= _MOST_REFERENCES:
                raise TooBig(f"buf_inc_refcount: the count is {_MOST_REFERENCES} already")
            found.refcount += 1
            return found.refcount - 1

    def dec_refcount(self, buf: object) -> int:
        with UNCONNECTED:
            found = expect(buf, Buf, "buf_dec_refcount")
            if not found.refcount:
                raise BadState("buf_dec_refcount: the count is 0 already")
            first_of_list(found, "buf_dec_refcount")
            if found.refcount > 1:
                found.refcount -= 1
                return found.refcount + 1
            if found.posted:  # and so in no list
                found.refcount = 0
                found.mmap.given_up |= {found}
                if not found.posted:  # its task has ended meanwhile, on another thread
                    found.let_go()
            elif found.next is None:
                found.give_back()
            else:
                _give_back_all(found)
            return 1

    def get_refcount(self, buf: object) -> int:
        found = expect(buf, Buf, "buf_get_refcount")
        return found.refcount if found.inventory.alive else 0

    def get_len(self, buf: object) -> int:
        return _living(buf, "buf_get_len").len

    def get_head(self, buf: object) -> int:
        return _living(buf, "buf_get_head").head

    def get_data_len(self, buf: Any) -> int:
        # asked for every message: see _task on the hot path
        if KERNELS or not isinstance(buf, Buf) or not (buf.inventory.alive and buf.refcount):
            _living(buf, "buf_get_data_len")
        length: int = buf.data_len
        return length

    def get_data(self, buf: object) -> int:
        return _living(buf, "buf_get_data").data

    def get_view(self, buf: object) -> memoryview:
        with UNCONNECTED:
            found = _living(buf, "buf_get_view")
            mmap: Mmap = found.mmap
            start = found.data - mmap.addr
            return mmap.view()[start : start + found.data_len]

    def set_data(self, buf: object, data: int, data_len: int) -> None:
        with UNCONNECTED:
            found = changeable(buf, "buf_set_data")
            for number in (data, data_len):
                expect_number(number, (1 << 64) - 1, "buf_set_data", least=0)
            check_segment(found.head, found.len, data, data_len, "buf_set_data")
            found.data, found.data_len = data, data_len

    def set_data_len(self, buf: object, data_len: int) -> None:
        self.set_data(buf, _living(buf, "buf_set_data_len").data, data_len)

    def reset_data_len(self, buf: Any) -> None:
        if KERNELS or not isinstance(buf, Buf) or buf.posted or not (buf.inventory.alive and buf.refcount):
            changeable(buf, "buf_reset_data_len")
        buf.data_len = 0

    # Lists

    def get_next_in_list(self, buf: object) -> Buf | None:
        return _living(buf, "buf_get_next_in_list").next

    @_alone
    def get_last_in_list(self, buf: object) -> Buf:
        return list(_living(buf, "buf_get_last_in_list").chain())[-1]

    def is_last_in_list(self, buf: object) -> bool:
        return _living(buf, "buf_is_last_in_list").next is None

    def is_first_in_list(self, buf: object) -> bool:
        return _living(buf, "buf_is_first_in_list").previous is None

    def is_in_list(self, buf: object) -> bool:
        found = _living(buf, "buf_is_in_list")
        return found.next is not None or found.previous is not None

    @_alone
    def get_list_len(self, buf: object) -> int:
        return len(list(first_of_list(buf, "buf_get_list_len").chain()))

    @_alone
    def chain_list(self, list1: object, list2: object) -> None:
        self.chain_list_tail(list1, self.get_last_in_list(list1), list2)

    @_alone
    def chain_list_tail(self, list1_head: object, list1_tail: object, list2: object) -> None:
        head, tail = first_of_list(list1_head, "buf_chain_list"), _living(list1_tail, "buf_chain_list")
        second = first_of_list(list2, "buf_chain_list")
        if tail not in head.chain() or tail.next is not None or second is head:
            raise InvalidValue("buf_chain_list takes two lists, and the tail of the first")
        if second.refcount > 1:
            raise NotPermitted(f"buf_chain_list: the second list is shared, its count is {second.refcount}")
        for element in (tail, second):
            changeable(element, "buf_chain_list")
        tail.next, second.previous = second, tail

    @_alone
    def unchain_list(self, list1: object, list2: object) -> None:
        head, second = first_of_list(list1, "buf_unchain_list"), _living(list2, "buf_unchain_list")
        before = second.previous
        if before is None or second not in head.chain():
            raise InvalidValue("buf_unchain_list: the second list is not inside of the first")
        before.next = second.previous = None
