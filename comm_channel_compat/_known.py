"""The one old object that stands for an object of comch_next, for as long as both live."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

from comch_next import InvalidValue
from comch_next.arguments import shown
from comch_next.pull import new_lock

__all__ = ["current", "kind_of", "known", "modern_of", "remember"]

_PACKAGE = __name__.partition(".")[0]
_SPARE = 64
_known: dict[tuple[type | None, int], ref[Any]] = {}
_most = _SPARE  # entries, before those of the dead are dropped
_lock = new_lock()  # of a thread, which a call of a handler's or a __del__'s may come between


def kind_of(cls: type) -> type | None:
    """Return the old class that one is or derives from, as a program's may; None for what is not an old class."""
    for base in cls.__mro__:  # no generator: an interrupt is lost while one is dropped
        if base.__module__.partition(".")[0] == _PACKAGE:
            return base
    return None


def remember(old: Any, modern: object) -> Any:
    """Have this old object stand for the modern one, among those of its class, and return it.

    Where another thread's stands for it already, that one does, and is returned.
    """
    key, weak = (kind_of(type(old)), id(modern)), ref(old)
    with _lock:
        if len(_known) >= _most:
            _drop_dead()
        while (entered := _known.setdefault(key, weak)) is not weak:
            if (other := _standing(entered, modern)) is not None:
                return other
            _drop(key, entered)
    return old


def _drop_dead() -> None:
    """Drop the entries of the dead: here, as what a signal's handler raises in a callback of a weakref is lost."""
    global _most
    for key, weak in _known.copy().items():
        if weak() is None:
            _drop(key, weak)
    _most = 2 * len(_known) + _SPARE


def _drop(key: tuple[type | None, int], weak: ref[Any]) -> None:
    if (dropped := _known.pop(key, weak)) is not weak:
        _known.setdefault(key, dropped)  # a handler, or a __del__, has just entered it


def known(cls: type, modern: object, make: Callable[[Any], Any]) -> Any:
    """Return the object of an old class that stands for a modern one, made when there is none."""
    weak = _known.get((cls, id(modern)))
    old = None if weak is None else _standing(weak, modern)
    return remember(make(modern), modern) if old is None else old


def _standing(weak: ref[Any], modern: object) -> Any:
    """Return an old object if it lives and stands for the modern one, whose number may be that of one that is gone."""
    old = weak()
    return old if old is not None and _standing_for(old) is modern else None


def _standing_for(old: Any) -> object:
    try:
        return old.modern
    except InvalidValue:
        return None  # destroyed


def current(latest: Any, modern: Any, make: Callable[[Any], Any]) -> Any:
    """Return the handle of a modern object: the latest one, unless new code or another thread has set another."""
    return latest if latest is not None and latest.modern is modern else make(modern)


def modern_of(old: Any) -> Any:
    """Return the object of comch_next behind a handle of either old generation; InvalidValue for anything else."""
    stands_for_one = hasattr(type(old), "modern") or "modern" in getattr(old, "__dict__", ())
    if kind_of(type(old)) is None or not stands_for_one:
        raise InvalidValue(f"unwrap takes a handle of comm_channel_compat or comm_channel_compat.cc, not {shown(old)}")
    return old.modern
