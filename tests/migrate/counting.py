"""How much work something is, counted: no machine is slow enough to change it."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

__all__ = ["calls", "is_linear", "lines"]

Work = Callable[[], object]


def calls(work: Work) -> int:
    """Return how many functions some work calls, those in C among them."""
    return _count(work, ("call", "c_call"), sys.getprofile, sys.setprofile)


def lines(work: Work) -> int:
    """Return how many lines some work runs, each turn of a comprehension as one."""
    return _count(work, ("line",), sys.gettrace, sys.settrace)


def _count(work: Work, events: tuple[str, ...], get: Callable[[], Any], install: Callable[[Any], None]) -> int:
    count = 0

    def observe(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        count += event in events
        return observe

    before = get()
    gc.collect()  # what an earlier test has left would end in the work, and count
    gc.disable()
    install(observe)
    try:
        work()
    finally:
        install(before)
        gc.enable()
    return count


def is_linear(work: Callable[[int], object]) -> bool:
    """Return whether work on twice the parts takes hardly more than twice the calls."""
    few, more, many = (calls(partial(work, parts)) for parts in (10, 20, 40))
    print(few, more, many)
    return more < 2.2 * few and many < 2.2 * more
