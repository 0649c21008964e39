"""The collector comes in the middle of a call, and runs the finalizers of the program."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.looks import at_looks

IN_C = sys.version_info < (3, 12)  # it comes where memory is wanted; later between two steps of Python code only
_USED_BEFORE = 4000  # more tuples of one length than Python keeps to use them again


class Block:
    """A context manager in which something is run when the collector comes for that time."""

    def __init__(self, number: int, run: Callable[[], object]) -> None:
        self.left = number
        self._run = run
        self._inside = _wanting_memory() if IN_C else _at_every_look()
        self._counts = False

    def _came(self, phase: str, _: dict[str, Any]) -> None:
        if phase == "start" and self._counts:
            self.left -= 1
            if self.left == 0:
                self._run()

    def __enter__(self) -> None:
        gc.callbacks.append(self._came)
        self._inside.__enter__()
        self._counts = True  # from here on: what has just been made has had it come, too

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._counts = False
        self._inside.__exit__(kind, error, trace)
        gc.callbacks.remove(self._came)


@contextmanager
def _wanting_memory() -> Iterator[None]:
    """Have the collector come whenever memory is wanted for an object that it watches."""
    gc.disable()  # so that all that is held counts, however long ago the collector came
    held = [tuple([None] * length) for length in (2, 3, 4) for _ in range(_USED_BEFORE)]
    before = gc.get_threshold()
    gc.set_threshold(1)
    gc.enable()
    try:
        yield
    finally:
        gc.set_threshold(*before)
        held.clear()


@contextmanager
def _at_every_look() -> Iterator[None]:
    """Have it come wherever it may in the library's Python code: any allocation before could have asked for it."""
    gc.disable()
    try:
        with at_looks(lambda code, offset: gc.collect(0)):
            yield
    finally:
        gc.enable()


def at_every_collection(run: Callable[[], object]) -> Iterator[Block]:
    """Blocks for one call in the same state: something is run when the collector comes, in each block one time later.

    As many as there are times, and one more. AssertionError if the collector does not come at all.
    """
    number = 1
    while True:
        block = Block(number, run)
        yield block
        if block.left > 0:
            break
        number += 1
    assert number > 1, "the collector has not come"
