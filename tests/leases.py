"""Leases on files: whoever opens one waits for its holder, for up to 45 seconds, unless it asks not to."""

from __future__ import annotations

import fcntl
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

__all__ = ["leased"]


@contextmanager
def leased(fd: int) -> Iterator[None]:
    """That file has a lease that nobody gives up. It must be open for nothing else."""
    fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)  # which is ignored; SIGIO would end the process
    try:
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
    except OSError:
        pytest.skip("this file system has no leases")
    yield
    fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
