"""A set of what others keep alive, and a table of what belongs to each; and such sets that a forked child goes through.

Those of the standard library forget what has died in a callback in Python: there a signal's handler may come, and
what it raises is lost, with the callback's work. Here the callback is in C, a method of a built-in dictionary.

Objects are told apart by what they are, not by what their classes compare: a program's may have no hash at all.
"""

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Generic, TypeVar
from weakref import ref

from comch_next.driver.protocol._shield import shielded

__all__ = ["WeakSet", "WeakTable", "told_in_child"]

_T = TypeVar("_T")
_V = TypeVar("_V")


class WeakSet(Generic[_T]):
    """Holds none of its members; those that have died are not members."""

    def __init__(self) -> None:
        self._refs: dict[int, ref[_T]] = {}  # by the id, which is no other object's before the callback

    def add(self, member: _T) -> None:
        """Add a member. Idempotent."""
        self._refs[id(member)] = ref(member, partial(self._refs.pop, id(member)))

    def discard(self, member: _T) -> None:
        """Remove a member. Idempotent."""
        self._refs.pop(id(member), None)

    def clear(self) -> None:
        """Remove all members."""
        self._refs.clear()

    def __iter__(self) -> Iterator[_T]:
        for weak in self._refs.copy().values():
            if (member := weak()) is not None:
                yield member

    def __contains__(self, member: object) -> bool:
        return id(member) in self._refs

    def __bool__(self) -> bool:
        return bool(self._refs)

    @property
    def size(self) -> int:
        """The number of its members. Not len(), which list() would ask for and lose a handler's TypeError there."""
        return len(self._refs)


def told_in_child(tell: Callable[[_T], object]) -> WeakSet[_T]:
    """Make a set: a forked child tells each of its members that live that they are the parent's."""
    members: WeakSet[_T] = WeakSet()

    def tell_all() -> None:
        for member in list(members):
            tell(member)

    os.register_at_fork(after_in_child=shielded(tell_all))
    return members


class WeakTable(Generic[_T, _V]):
    """Has a value for each owner, and holds the value only: it goes when the owner dies."""

    def __init__(self) -> None:
        self._values: dict[ref[_T], _V] = {}

    def __setitem__(self, owner: _T, value: _V) -> None:
        self._values[ref(owner, self._values.pop)] = value

    def __getitem__(self, owner: _T) -> _V:
        return self._values[ref(owner)]

    def get(self, owner: _T) -> _V | None:
        """Return the owner's value, None if it has none."""
        return self._values.get(ref(owner))

    def __contains__(self, owner: _T) -> bool:
        return ref(owner) in self._values
