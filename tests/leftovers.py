"""What a failed test has left open in this process, so that the tests after it start from nothing all the same."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import comch_next as comch
from comch_next._control import ControlContext
from comch_next._fast import FastContext
from comch_next._threaded._helper import _helpers

# Each kind before those that it holds.
_ENDS: dict[type, Callable[[Any], object]] = {
    FastContext: partial(FastContext.close, timeout=1.0),
    ControlContext: partial(ControlContext.close, timeout=1.0),
    comch.ProgressEngine: comch.ProgressEngine.destroy,
    comch.BufInventory: comch.BufInventory.destroy,
    comch.Mmap: comch.Mmap.destroy,
    comch.Representor: comch.Representor.close,
    comch.Device: comch.Device.close,
}


def close_leftovers() -> None:
    """Close contexts, engines, memory and devices that are open, and end the threads of ports; what refuses stays."""
    for kind, end in _ENDS.items():
        for thing in _living(kind):
            with suppress(Exception):
                end(thing)
    for helper in list(_helpers):
        helper._end()


def _living(kind: type) -> Iterator[Any]:
    yield from [thing for thing in gc.get_objects() if isinstance(thing, kind)]
