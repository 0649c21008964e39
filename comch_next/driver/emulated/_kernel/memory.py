"""Sealed shared memory: made by one side, mapped by both, and of a size that neither can change any more."""

import errno
import fcntl
import os
from collections.abc import Callable, Collection
from functools import cache
from typing import Any

from comch_next.driver.emulated._kernel._ring_c import ffi, lib
from comch_next.driver.emulated._kernel.calls import Memory
from comch_next.driver.protocol import too_large_raises
from comch_next.errors import ErrorCode, from_code

__all__ = ["EXHAUSTED", "PAGE", "check_shared", "ffi", "lib", "make_shared", "map_shared", "name_of", "open_shared"]

# errors of Linux for want of memory or descriptors; ENOSPC where memory may not be overcommitted, too
EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS, errno.EFBIG, errno.ENOSPC)
PAGE = 4096  # bytes at the start of shared memory, for what both sides steer by; as in the kernels

_BLOCK = 512  # bytes, of which st_blocks are
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL


def make_shared(name: str, size: int, *, commit: bool = False) -> int:
    """A descriptor of `size` bytes of new memory; with `commit` every page is there, or OSError says why not."""
    fd = os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        too_large_raises(os.ftruncate, fd, size)
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
    plain = found.st_dev == _of_own(_file_system)
    if not (sealed and plain) or found.st_size != size or (committed and found.st_blocks * _BLOCK < size):
        text = "the memory offered is not of the agreed size and sealed, or has huge pages"
        raise from_code(ErrorCode.CONNECTION_ABORTED, text)


def map_shared(fd: int, size: int, *, committed: bool = False) -> Any:
    """Its mapping, once checked: a `char *` that is unmapped with the last reference to it. Raises OSError."""
    check_shared(fd, size, committed=committed)
    return ffi.from_buffer("char *", Memory(fd, size))


def open_shared(pid: int, number: int, names: Collection[str], inode: int, flags: int) -> int | None:
    """A descriptor of this process's own for shared memory that another has, or None for anything else.

    To open a file can have effects, or wait without end for its server. So it is looked at through a descriptor
    that has not opened it, as that process may meanwhile put another file in its place. Only memory is opened, which
    waits for nobody: a lease on it refuses. Raises OSError.
    """
    seen = os.open(f"/proc/{pid}/fd/{number}", os.O_PATH | os.O_CLOEXEC)
    try:
        shared = name_of(seen) in names and _mount(seen) == _of_own(_mount)
        if not shared or os.fstat(seen).st_ino != inode:
            return None
        return os.open(f"/proc/self/fd/{seen}", flags | os.O_NONBLOCK | os.O_CLOEXEC)
    finally:
        os.close(seen)


def name_of(fd: int) -> str:
    """What that memory is called; empty for other files, unless a user has made one look so. Raises OSError."""
    memfd, _, name = os.readlink(f"/proc/self/fd/{fd}").partition("/memfd:")
    return "" if memfd else name.partition(" ")[0]


def _file_system(fd: int) -> int:
    return os.fstat(fd).st_dev


def _mount(fd: int) -> bytes:
    """As Linux tells it; the file's own system, which may be a user's, is not asked."""
    with open(f"/proc/self/fdinfo/{fd}", "rb", buffering=0) as facts:
        return facts.read().partition(b"mnt_id:")[2].partition(b"\n")[0]


@cache
def _of_own(look: Callable[[int], object]) -> object:
    """What all memory of `make_shared` has, and neither huge pages nor files have. Raises OSError."""
    fd = os.memfd_create("comch-page", os.MFD_CLOEXEC)
    try:
        return look(fd)
    finally:
        os.close(fd)
