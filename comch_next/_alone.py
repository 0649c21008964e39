"""Calls of a context, or of what belongs to one, that one thread makes at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from comch_next.driver.protocol import KERNELS, refuse_kernel, uninterrupted

__all__ = ["alone"]

_S = TypeVar("_S")
_P = ParamSpec("_P")
_T = TypeVar("_T")


def alone(call: Callable[Concatenate[_S, _P], _T]) -> Callable[Concatenate[_S, _P], _T]:
    """Hold the object's lock, which is that of its engine, while the call runs, and signals back.

    The lock is another one when the object gets an engine of the program's: then the call begins again with that.
    """

    held, name = uninterrupted(call), call.__qualname__

    @wraps(call)
    def locked(self: _S, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        if KERNELS:
            refuse_kernel(name)
        known: Any = self
        while True:
            lock = known._lock
            with lock:
                if lock is known._lock:
                    return held(self, *args, **kwargs)

    return locked
