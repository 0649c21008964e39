"""Sealed shared memory: made by one side, mapped by both, and of a size that neither can change any more."""

import errno
import fcntl
import os
from functools import cache
from typing import Any

from comch_next.driver.emulated._kernel._ring_c import ffi, lib
from comch_next.driver.emulated._kernel.calls import Memory
from comch_next.errors import ErrorCode, from_code

__all__ = ["EXHAUSTED", "PAGE", "check_shared", "ffi", "lib", "make_shared", "map_shared"]

# errors of Linux for want of memory or descriptors; ENOSPC where memory may not be overcommitted, too
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS, errno.EFBIG, errno.ENOSPC)
PAGE = 4096  # bytes at the start of shared memory, for what both sides steer by; as in the kernels

_BLOCK = 512  # bytes, of which st_blocks are
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


def make_shared(name: str, size: int, *, commit: bool = False) -> int:
    """A descriptor of `size` bytes of new memory; with `commit` every page is there, or OSError says why not."""
    fd = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(fd, size)
        if commit:
            os.posix_fallocate(fd, 0, size)
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _SEALS)
    except BaseException:
        os.close(fd)
        raise
    return fd


def check_shared(fd: int, size: int, *, committed: bool = False) -> None:
    """Raise ConnectionAborted unless it is memory of that size, which nobody can change any more.

    The seals are asked for first: before them the other side may still change the size. `committed`: every page must
    be there already, or a peer could make others map memory without end, and fill it at their cost. Huge pages are
    refused: once a peer has taken one out, and no other is left, whoever touches it is killed.
    """
    sealed = fcntl.fcntl(fd, fcntl.F_GET_SEALS) & _SEALS == _SEALS
    found = os.fstat(fd)
    plain = found.st_dev == _file_system()
    if not (sealed and plain) or found.st_size != size or (committed and found.st_blocks * _BLOCK < size):
        text = "the memory offered is not of the agreed size and sealed, or has huge pages"
        raise from_code(ErrorCode.CONNECTION_ABORTED, text)


@cache
def _file_system() -> int:
    """The number of that in which `make_shared` makes memory; huge pages have others. Raises OSError."""
    fd = os.memfd_create("comch-page", os.MFD_CLOEXEC)
    try:
        return os.fstat(fd).st_dev
    finally:
        os.close(fd)


def map_shared(fd: int, size: int, *, committed: bool = False) -> Any:
    """Its mapping, once checked: a `char *` that is unmapped with the last reference to it. Raises OSError."""
    check_shared(fd, size, committed=committed)
    return ffi.from_buffer("char *", Memory(fd, size))
