"""The collector comes when memory is wanted, in the middle of a call, and runs the finalizers of the program."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_USED_BEFORE = 4000  # more tuples of one length than Python keeps to use them again


@contextmanager
def at_a_collection(number: int, run: Callable[[], object]) -> Iterator[None]:
    """Run something when the collector comes for that time; AssertionError if it does not come at all.

    From Python 3.12 on, it comes between two steps of Python code only, in some calls never.
    """
    left = [number]

    def came(phase: str, _: dict[str, Any]) -> None:
        if phase == "start":
            left[0] -= 1
            if left[0] == 0:
                run()

    gc.disable()  # so that all that is held counts, however long ago the collector came
    held = [tuple([None] * length) for length in (2, 3, 4) for _ in range(_USED_BEFORE)]
    before = gc.get_threshold()
    gc.callbacks.append(came)
    try:
        gc.set_threshold(1)
        gc.enable()
        yield
        assert left[0] < number or sys.version_info >= (3, 12), "the collector has not come"
    finally:
        gc.set_threshold(*before)
        gc.callbacks.remove(came)
        held.clear()
