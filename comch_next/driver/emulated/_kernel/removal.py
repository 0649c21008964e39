"""A descriptor that becomes readable when a file loses its name: Linux's inotify."""

import os

from comch_next.driver.emulated._kernel.ring import lib
from comch_next.driver.protocol import suppress_system

__all__ = ["Removal"]

_IN_ATTRIB, _IN_DELETE_SELF, _IN_MOVE_SELF = 0x4, 0x400, 0x800  # a name that goes is a changed attribute
_LONGEST = 4096


class Removal:
    """Watches one file."""

    def __init__(self, fd: int = -1) -> None:
        self._fd = fd

    @classmethod
    def of(cls, path: str) -> "Removal | None":
        """None where the system has no watch to spare: then the file has to be polled."""
        removal, watched = cls(), False
        try:
            removal._fd = lib.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
            events = _IN_ATTRIB | _IN_DELETE_SELF | _IN_MOVE_SELF
            watched = lib.inotify_add_watch(removal.fileno(), os.fsencode(path), events) >= 0
        finally:
            if not watched:
                removal.close()
        return removal if watched else None

    def fileno(self) -> int:
        return self._fd

    def drain(self) -> None:
        """Not readable any more; what has happened shows in the file's place."""
        with suppress_system(BlockingIOError):
            os.read(self._fd, _LONGEST)

    def close(self) -> None:
        """Idempotent."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)
