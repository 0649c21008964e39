"""Descriptors that a hostile peer sends in place of those that are expected, by name; sizes are bytes of memory."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable

from comch_next.driver.emulated._kernel.memory import make_shared

_MOST_COMMITTED = 1 << 20  # bytes that a peer really brings, whatever it says


def memory(size: int) -> int:
    """What a consumer announces, as it should be."""
    return make_shared("memory", max(1, min(size, _MOST_COMMITTED)), commit=True)


def _unsealed(size: int) -> int:
    fd = os.memfd_create("plain", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.ftruncate(fd, min(size, _MOST_COMMITTED))
    return fd


def _readonly(size: int) -> int:
    fd = memory(size)
    try:
        return os.open(f"/proc/self/fd/{fd}", os.O_RDONLY | os.O_CLOEXEC)
    finally:
        os.close(fd)


def _pipe(_: int) -> int:
    ours, theirs = os.pipe()
    os.close(ours)
    return theirs


STRANGE: dict[str, Callable[[int], int]] = {
    "eventfd": lambda _: os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC),
    "null": lambda _: os.open("/dev/null", os.O_RDWR | os.O_CLOEXEC),
    "pipe": _pipe,
    "socket": lambda _: socket.socket(socket.AF_UNIX).detach(),
    "unsealed": _unsealed,
    "sparse": lambda size: make_shared("sparse", max(1, min(size, 1 << 40))),
    "readonly": _readonly,
}
