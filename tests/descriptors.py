"""How many descriptors this process has, and how many mappings of shared memory."""

from __future__ import annotations

import gc
import os
from pathlib import Path

__all__ = ["collected_fds", "mapped", "open_fds"]


def open_fds() -> int:
    """The number of open descriptors."""
    return len(os.listdir("/proc/self/fd"))


def collected_fds() -> int:
    """The same for a first count: garbage of earlier tests, which could go in the middle of this one, goes before."""
    gc.collect()
    return open_fds()


def mapped() -> int:
    """The number of mappings of the library's shared memory."""
    return Path("/proc/self/maps").read_text(encoding="ascii", errors="replace").count("/memfd:comch-")
