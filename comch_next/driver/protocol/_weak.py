"""A set of what others keep alive.

The one of the standard library forgets what has died in a callback in Python: there a signal's handler may come, and
what it raises is lost, with the callback's work. Here the callback is a method of a built-in set, and in C.
"""

from collections.abc import Iterator
from typing import Generic, TypeVar
from weakref import ref

__all__ = ["WeakSet"]

_T = TypeVar("_T")


class WeakSet(Generic[_T]):
    """Holds none of its members; those that have died are no members."""

    def __init__(self) -> None:
        self._refs: set[ref[_T]] = set()

    def add(self, member: _T) -> None:
        """Add a member. Idempotent."""
        self._refs.add(ref(member, self._refs.discard))

    def discard(self, member: _T) -> None:
        """Remove a member. Idempotent."""
        self._refs.discard(ref(member))

    def clear(self) -> None:
        """Remove all members."""
        self._refs.clear()

    def __iter__(self) -> Iterator[_T]:
        for weak in self._refs.copy():
            if (member := weak()) is not None:
                yield member

    def __contains__(self, member: _T) -> bool:
        return ref(member) in self._refs

    def __len__(self) -> int:
        return len(self._refs)
