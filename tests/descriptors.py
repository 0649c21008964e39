"""How many descriptors this process has, and how many mappings of shared memory."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path

from comch_next.driver.emulated._kernel.memory import lib

__all__ = ["collected_fds", "mapped", "open_fds"]

_PATIENCE_S = 2.0  # what is stuck on purpose takes longer


def open_fds() -> int:
    """The number of open descriptors, once those are closed for which the library has not waited on a busy machine."""
    deadline = time.monotonic() + _PATIENCE_S
    while lib.comch_closing() and time.monotonic() < deadline:
        time.sleep(0.001)
    return len(os.listdir("/proc/self/fd"))


def collected_fds() -> int:
    """The same for a first count: garbage of earlier tests, which could go in the middle of this one, goes before."""
    gc.collect()
    return open_fds()


def mapped() -> int:
    """The number of mappings of the library's shared memory."""
    return Path("/proc/self/maps").read_text(encoding="ascii", errors="replace").count("/memfd:comch-")
