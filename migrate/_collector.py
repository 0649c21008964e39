"""What Python itself gives to what builds and walks large trees: no garbage collector, and a deep stack."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_DEEP = 5_000  # frames, of which a function of the program may take ten


@contextmanager
def paused_collector() -> Iterator[None]:
    """Pause the collector in a block: it would walk all trees again and again and find nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def deep_stack() -> Iterator[None]:
    """Allow deep recursion in a block: chains of functions and of containers are followed to their ends."""
    most = sys.getrecursionlimit()
    sys.setrecursionlimit(max(most, _DEEP))
    try:
        yield
    finally:
        sys.setrecursionlimit(most)
