"""Arguments as generation 2 took them: InvalidValue, naming the value and what is legal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comch_next import InvalidValue
from comch_next.arguments import instance, integer, shown

__all__ = ["count", "function", "unwrap"]

_UINT32_MAX, _SIZE_MAX = 2**32 - 1, 2**64 - 1


def function(value: Any, what: str) -> Callable[..., object]:
    """Return a callback if it can be called."""
    if not callable(value):
        raise InvalidValue(f"{what} is {shown(value)}; legal is a function")
    call: Callable[..., object] = value
    return call


def count(value: object, what: str) -> int:
    """Return a size or number: one name took size_t in one release and uint32_t in the next, so either."""
    return integer(value, what, most=_SIZE_MAX)


def unwrap(value: Any, kind: type, what: str) -> Any:
    """Return the object of comch_next behind one of this module."""
    return instance(value, kind, what).modern
