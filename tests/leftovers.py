"""What a failed test has left open in this process, so that the tests after it start from nothing all the same."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import comch_next as comch
from comch_next._control import ControlContext
from comch_next._fast import FastContext
from comch_next._threaded._helper import _helpers
from tests.descriptors import mapped, open_fds

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
    """Close contexts, engines, memory and devices that are open, and end the threads of ports; what refuses stays.

    A test that has failed keeps its variables, so they are not collected by themselves.
    """
    for kind, end in _ENDS.items():
        for thing in _living(kind):
            with suppress(Exception):
                end(thing)
    for helper in list(_helpers):
        helper.end()
    gc.collect()


@contextmanager
def collected() -> Iterator[None]:
    """Collect garbage that holds descriptors or mappings at the end of the block, not while a later test counts its."""
    before = open_fds(), mapped()
    yield
    if open_fds() > before[0] or mapped() > before[1]:
        gc.collect()


def _living(kind: type) -> Iterator[Any]:
    yield from [thing for thing in gc.get_objects() if isinstance(thing, kind)]
