"""A call in a process that has no memory left, for child programs."""

from __future__ import annotations

import resource
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")
_SIZES = (1 << 22, 1 << 16, 4096, 1024, *range(512, 0, -16))
_DEPTH = 300  # calls from C to Python, which take more of the stack than what is tried afterwards


def short_of_memory(call: Callable[[], T], *, spare: int = 0) -> T:
    """Take all memory there is, down to the smallest pieces; give them back one by one until the call can answer.

    With `spare` the last so many are given back before, for a call that needs far more: without any memory Python
    itself may crash before it comes to the call.
    """
    _grow_stack(_DEPTH)
    with open("/proc/self/statm") as file:
        size = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))
    taken = _all_memory()
    for _ in range(spare):
        taken = taken[0]
    try:
        while True:
            try:
                return call()
            except MemoryError:
                taken = taken[0]
    finally:
        taken = None
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _grow_stack(depth: int) -> int:
    """Have the stack grow while it may: without memory for it the kernel ends the process."""
    return max((depth,), key=lambda _: _grow_stack(depth - 1)) if depth else 0


def _all_memory() -> Any:
    taken: Any = None
    for size in _SIZES:
        try:
            while True:
                taken = (taken, bytes(size))
        except MemoryError:
            pass
    return taken
