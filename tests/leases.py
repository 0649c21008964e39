"""Files whose opening waits for somebody, or is noticed: by their leases, for up to 45 seconds."""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

__all__ = ["leased", "look_alike"]

_OPEN_TREE, _OPEN_TREE_CLONE, _AT_FDCWD = 428, 1, -100


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


def look_alike(folder: Path, name: str) -> int:
    """A descriptor of a file that reads in /proc as memory of that name does: its mount has no place in the tree."""
    tree = ctypes.CDLL(None).syscall(_OPEN_TREE, _AT_FDCWD, bytes(folder), _OPEN_TREE_CLONE)
    if tree < 0:
        pytest.skip("only root can make such a mount")
    fd = os.open(f"memfd:{name} (deleted)", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, dir_fd=tree)
    os.close(tree)
    assert os.readlink(f"/proc/self/fd/{fd}") == f"/memfd:{name} (deleted)"
    return fd
