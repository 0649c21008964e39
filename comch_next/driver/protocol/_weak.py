"""A set of what others keep alive, and a table of what belongs to each.

Those of the standard library forget what has died in a callback in Python: there a signal's handler may come, and
what it raises is lost, with the callback's work. Here the callback is in C, a method of a built-in dictionary.

Objects are told apart by what they are, not by what their classes compare: a program's may have no hash at all.
"""

from collections.abc import Iterator
from functools import partial
from typing import Generic, TypeVar
from weakref import ref

__all__ = ["WeakSet", "WeakTable"]

_T = TypeVar("_T")
_V = TypeVar("_V")


class WeakSet(Generic[_T]):
    """Holds none of its members; those that have died are no members."""

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

    def __len__(self) -> int:
        return len(self._refs)


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
