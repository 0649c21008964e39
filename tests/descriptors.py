"""How many descriptors this process has."""

from __future__ import annotations

import gc
import os

__all__ = ["open_fds"]


def open_fds() -> int:
    """The number of open descriptors, without those of garbage, which may go at any time."""
    gc.collect()
    return len(os.listdir("/proc/self/fd"))
