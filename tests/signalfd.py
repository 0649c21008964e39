"""Linux's signalfd, which Python does not have."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable

_MASK_WORDS = 16  # of a sigset_t


def signalfd(signals: Iterable[int]) -> int:
    """Return a descriptor that is readable once one of these has come; every thread must block them."""
    mask = (ctypes.c_uint64 * _MASK_WORDS)(sum(1 << (number - 1) for number in signals))
    fd = ctypes.CDLL(None, use_errno=True).signalfd(-1, mask, os.O_CLOEXEC | os.O_NONBLOCK)
    assert fd >= 0, os.strerror(ctypes.get_errno())
    return int(fd)
