"""The descriptor of an export, by which another process finds a map's memory (guide: Memory Subsystem).

It names a file descriptor of the exporting process, of the memory or of a notice where it is (_remote), and so is good
for as long as that lives, and for processes of the same user. A checksum detects a damaged one; a forged one opens
nothing that its maker could not open anyway.
"""

import os
import struct
import zlib
from typing import Any, NamedTuple

from comch_next.driver.emulated._checks import as_bytes
from comch_next.driver.emulated._kernel.memory import EXHAUSTED, open_shared
from comch_next.driver.protocol import by_system
from comch_next.errors import InvalidValue, NotPermitted

__all__ = ["MEMFD", "NOTICE", "Export"]

MEMFD = "comch-mmap"  # what the memory of maps is called
NOTICE = "comch-notice"  # of memory that the program brought
_CALL = "mmap_create_from_export"
_FACTS = struct.Struct("<4sHHiiQQQ")  # magic, version, and the fields of Export
_SUM = struct.Struct("<I")
_MAGIC, _VERSION = b"CMMM", 1


class Export(NamedTuple):
    """`birth` distinguishes the process from a later one of its number, `inode` the memory from a later one of `fd`."""

    permissions: int
    pid: int
    fd: int
    birth: int
    inode: int
    size: int

    @classmethod
    def of(cls, fd: int, permissions: int, size: int) -> "Export":
        """That of this process's descriptor. Raises OSError."""
        pid = os.getpid()
        return cls(permissions, pid, fd, _birth(pid), os.fstat(fd).st_ino, size)

    def encode(self) -> bytes:
        """As the program carries it to the other side."""
        facts = _FACTS.pack(_MAGIC, _VERSION, *self)
        return facts + _SUM.pack(zlib.crc32(facts))

    @classmethod
    def decode(cls, data: Any) -> "Export":
        """INVALID_VALUE for anything but what `encode` gave."""
        text = as_bytes(data, _CALL)
        facts = text[: _FACTS.size]
        if len(text) != _FACTS.size + _SUM.size or text[_FACTS.size :] != _SUM.pack(zlib.crc32(facts)):
            raise InvalidValue(f"{_CALL} takes the descriptor that an export returned, complete and unchanged")
        magic, version, *fields = _FACTS.unpack(facts)
        if (magic, version) != (_MAGIC, _VERSION):
            raise InvalidValue(f"{_CALL}: the descriptor is not an export of this version")
        return cls(*fields)

    def open(self) -> int:
        """A descriptor of this process's own for the memory. Raises OSError when descriptors have run out."""
        gone = f"{_CALL}: the process that exported it, or its map, is gone"
        try:
            if _birth(self.pid) != self.birth:
                raise InvalidValue(gone)
            own = open_shared(self.pid, self.fd, (MEMFD, NOTICE), self.inode, os.O_RDWR)
        except by_system(PermissionError) as error:
            raise NotPermitted(f"{_CALL}: the exporting process denies access: {error}") from error
        except by_system(OSError) as error:
            if error.errno in EXHAUSTED:
                raise
            raise InvalidValue(gone) from error
        if own is None:
            raise InvalidValue(gone)
        return own


def _birth(pid: int) -> int:
    """When the process was born, in clock ticks since the machine was: a later process of its number has another."""
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as status:
        return int(status.read().rpartition(")")[2].split()[19])
