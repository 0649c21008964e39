"""Memory that a program brought and has exported: it stays where it is, and importers copy from it and to it.

The library's own memory is a memfd, which both sides map. What a program brought is private to its process, so an
import of it has the exporter's addresses and shows nothing; tasks move the bytes when they run, as a device would, by
process_vm_readv(2) and process_vm_writev(2). What was exported stands in a notice, a sealed memfd that exists for as
long as the map does. Each copy finds the notice anew and holds its lock, so that none begins once the map has gone.
"""

import errno
import fcntl
import os
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from comch_next.driver.emulated._export import NOTICE, Export
from comch_next.driver.emulated._kernel.memory import ffi, lib
from comch_next.driver.protocol import by_system, monotonic, suppress_system, too_large_raises, uninterrupted
from comch_next.errors import DocaError, InvalidValue, IoFailed, NotPermitted, NotSupported

__all__ = ["Remote", "await_copies", "make_notice"]

_FACTS = struct.Struct("<QQi")  # address, bytes, permissions
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL | fcntl.F_SEAL_WRITE
_ADDRESSES = 1 << 64
_PATIENCE_S = 1.0  # how long a map that goes waits for an importer that is copying
_RESPITE_S = 60.0  # after a wait in vain; for so long no map waits
_TURN_S = 0.001
_YAMA = "/proc/sys/kernel/yama/ptrace_scope"
_REFUSED = (errno.EPERM, errno.ENOSYS)  # no right, or a filter of system calls


_patient_from = 0.0  # the end of the last respite


def make_notice(addr: int, size: int, permissions: int) -> int:
    """Return the notice of an export, a descriptor. Raises NotSupported where processes cannot copy from each other."""
    if _copy(os.getpid(), ffi.new("char[1]"), addr, 1) in _REFUSED:
        text = "memory of the program's own cannot be shared where process_vm_readv is refused"
        raise NotSupported(f"mmap_export_pci: {text}; let the library make it (alloc_memrange)")
    fd = os.memfd_create(NOTICE, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        too_large_raises(os.write, fd, _FACTS.pack(addr, size, permissions))
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _SEALS)
    except BaseException:
        os.close(fd)
        raise
    return fd


def await_copies(fd: int) -> None:
    """Wait, for a limited time, until no copy of the exported memory runs; from then on none begins.

    An importer copies for moments only; one that keeps the locks of many maps delays their ends together by no more.
    """
    global _patient_from
    patient = monotonic() >= _patient_from
    deadline = monotonic() + (_PATIENCE_S if patient else 0.0)
    while True:
        with suppress_system(BlockingIOError):
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        if monotonic() >= deadline:
            break
        time.sleep(_TURN_S)
    if patient:
        _patient_from = deadline + _RESPITE_S


class Remote:
    """An export of brought memory, as its importer has it. `addr` is the exporter's."""

    def __init__(self, export: Export, notice: int) -> None:
        """Raise InvalidValue for a notice of something else, NotPermitted if Linux does not allow the copy."""
        self._export = export
        facts = os.pread(notice, _FACTS.size + 1, 0)
        whole = len(facts) == _FACTS.size and fcntl.fcntl(notice, fcntl.F_GET_SEALS) & _SEALS == _SEALS
        if not whole or _FACTS.unpack(facts)[1:] != (export.size, export.permissions):
            raise InvalidValue("mmap_create_from_export: the exporting process has exported something else there")
        self.addr: int = _FACTS.unpack(facts)[0]
        if not 0 < export.size <= _ADDRESSES - self.addr:
            raise InvalidValue(f"mmap_create_from_export: no process has {export.size} bytes at {self.addr:#x}")
        for place in (self.addr, self.addr + export.size - 1):
            self._check(_copy(export.pid, ffi.new("char[1]"), place, 1))

    def _check(self, error: int) -> None:
        if error in _REFUSED:
            text = f"the exporter allocated this memory itself; process {self._export.pid} cannot be read: {_why()}"
            raise NotPermitted(f"mmap_create_from_export: {text}")
        if error:
            raise InvalidValue(f"mmap_create_from_export: the exporter has no memory there: {os.strerror(error)}")

    def read(self, addr: int, length: int) -> Any:
        """A copy of some bytes, a `char[]`. Raises IoFailed."""
        copied = ffi.new("char[]", length)
        self._move(copied, addr, length)
        return copied

    def write(self, addr: int, source: Any, length: int) -> None:
        """Copy bytes from here, a `char *`. Raises IoFailed."""
        self._move(source, addr, length, writing=True)

    @uninterrupted
    def _move(self, here: Any, addr: int, length: int, *, writing: bool = False) -> None:
        with self._held():
            if error := _copy(self._export.pid, here, addr, length, writing=writing):
                raise IoFailed(f"the exporter's memory at {addr:#x} cannot be reached: {os.strerror(error)}")

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Keep the exporter from taking the map away. Raises IoFailed once it has."""
        try:
            notice = self._export.open()
            try:
                fcntl.flock(notice, fcntl.LOCK_SH | fcntl.LOCK_NB)
                os.close(self._export.open())  # it is still there
                yield
            finally:
                os.close(notice)
        except IoFailed:
            raise
        except by_system(DocaError, OSError) as error:
            raise IoFailed(f"the exported memory cannot be reached: {error}") from error


def _copy(pid: int, here: Any, addr: int, length: int, *, writing: bool = False) -> int:
    return int(lib.comch_copy_remote(pid, int(ffi.cast("uintptr_t", here)), addr, length, writing))


def _why() -> str:
    """Return what Linux restricts, and what can be done."""
    with suppress_system(OSError), open(_YAMA, encoding="ascii") as file:
        if (scope := file.read().strip()) != "0":
            return f"kernel.yama.ptrace_scope is {scope}; 0, or prctl(PR_SET_PTRACER) in the exporter, allows it"
    return "process_vm_readv is refused, by its user's rights or by a filter of system calls"
