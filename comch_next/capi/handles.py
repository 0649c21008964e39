"""The one table of handles: what a pointer that C holds stands for.

A pointer is a number that is never given out twice and points to no memory, so that a stale one finds nothing and
cannot be mistaken for another. A context's own type and `struct doca_ctx` are one pointer, as a task's and `struct
doca_task`.
"""

from __future__ import annotations

import itertools
from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

from comch_next.errors import InvalidValue

__all__ = ["HANDLES", "Handle", "Handles"]

_FIRST, _STEP = 0x0D0C_A000_0000, 64  # far below where Linux maps a program, its heap and its libraries

# A struct that is another one besides.
_BASES: Mapping[str, str] = {
    **dict.fromkeys(("doca_comch_server", "doca_comch_client"), "doca_ctx"),
    **dict.fromkeys(("doca_comch_consumer", "doca_comch_producer"), "doca_ctx"),
    "doca_comch_task_send": "doca_task",
    **dict.fromkeys(("doca_comch_consumer_task_post_recv", "doca_comch_producer_task_send"), "doca_task"),
}


class Handle:
    """What stands behind a pointer: the `target`, of that struct's `tag`, and the program's number for it.

    `owner` is the handle that it ends with, a context of its tasks and connections; `owned` are those that end with
    it, None where nothing does. `noun`: the driver's, for tasks, and for engines whose calls are watched. `quick`: the
    context's tasks, or this task, are submitted and freed without it. `alloc`: what makes a context's send tasks.
    `kept`: memory that C was shown. `opens` counts the opens of a device. C reads and fills the slots: see
    _sources/hot.h.
    """

    __slots__ = ("address", "alloc", "kept", "noun", "opens", "owned", "owner", "quick", "tag", "target", "user_data")

    def __init__(self, address: int, tag: str, target: Any, owner: Handle | None) -> None:
        self.address = address
        self.tag = tag
        self.target = target
        self.owner = owner
        self.owned: set[Handle] | None = set()
        self.noun: Any = None
        self.alloc: Any = None
        self.quick = False
        self.kept: Any = None
        self.user_data = 0
        self.opens = 0


class Handles:
    """Finds handles by their address, and by their target where that has one handle only."""

    def __init__(self) -> None:
        self._addresses = itertools.count(_FIRST, _STEP)
        self._by_tag: dict[str, dict[int, Handle]] = defaultdict(dict)
        self._by_target: dict[int, Handle] = {}
        self._parts: dict[tuple[int, int], Handle] = {}  # by their owner's address and their target's id
        self._dropped = array("Q", [0])  # a number: what C has found is good until it changes

    def of_tag(self, tag: str) -> dict[int, Handle]:
        """The living handles of a struct by address, for reading."""
        return self._by_tag[tag]

    def new(self, tag: str, target: Any, owner: Handle | None = None, address: int = 0) -> Handle:
        """Make a handle, at a new address unless it stands for memory of the library's."""
        handle = Handle(address or next(self._addresses), tag, target, owner)
        if owner is not None:
            _owned(owner).add(handle)
        self._by_tag[tag][handle.address] = handle
        if tag in _BASES:
            self._by_tag[_BASES[tag]][handle.address] = handle
        return handle

    def of(self, tag: str, target: Any, owner: Handle | None = None) -> Handle:
        """Return the one handle of a target, made when it is first seen."""
        handle = self._by_target.get(id(target))  # which the handle keeps alive, so nobody else has the id
        if handle is None:
            handle = self._by_target.setdefault(id(target), made := self.new(tag, target, owner))
            if handle is not made:  # another thread was first
                self.drop_one(made)
        return handle

    def within(self, owner: Handle, tag: str, target: Any) -> Handle:
        """Return the handle of what an object leads to: its own, if it has one, else one that ends with the object."""
        place = owner.address, id(target)
        handle = self._by_target.get(id(target)) or self._parts.get(place)
        if handle is None:
            handle = self._parts.setdefault(place, made := self.new(tag, target, owner))
            if handle is not made:  # another thread was first
                self.drop_one(made)
        return handle

    def find(self, tag: str, address: int) -> Handle:
        """Return the living handle of that struct; InvalidValue for NULL, stale and foreign pointers."""
        handle = self._by_tag[tag].get(address)
        if handle is None:
            raise InvalidValue(f"{address:#x} is not a struct {tag}: NULL, destroyed before, or another struct")
        return handle

    def for_c(self, *on_error: Callable[..., object]) -> tuple[object, ...]:
        """Return what the calls in C need of the table, as hot.h keeps it, with a binding's refused and unexpected."""
        dropped, _ = self._dropped.buffer_info()
        tables = (self._by_tag, self._by_target, self._addresses)
        return Handle, *tables, self.find, *on_error, self._dropped, dropped

    def drop(self, handle: Handle) -> None:
        """Forget a handle and all that ends with it."""
        for owned in list(handle.owned or ()):
            self.drop_one(owned)
        self.drop_one(handle)

    def drop_one(self, handle: Handle) -> None:
        """Forget a handle that nothing ends with."""
        if handle.owner is not None:
            _owned(handle.owner).discard(handle)
            place = handle.owner.address, id(handle.target)
            if self._parts.get(place) is handle:
                del self._parts[place]
        self._by_tag[handle.tag].pop(handle.address, None)
        if handle.tag in _BASES:
            self._by_tag[_BASES[handle.tag]].pop(handle.address, None)
        if self._by_target.get(id(handle.target)) is handle:
            del self._by_target[id(handle.target)]
        self._dropped[0] += 1  # last: what another thread has found in C meanwhile must not be kept


def _owned(owner: Handle) -> set[Handle]:
    assert owner.owned is not None
    return owner.owned


HANDLES = Handles()
