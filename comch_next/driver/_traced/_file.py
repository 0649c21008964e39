"""The file that a trace is written to: one JSON object per line, one write per line."""

import errno
import json
import os
import threading
import time
from itertools import count
from typing import Any

from comch_next.driver._traced._place import caller
from comch_next.driver.protocol import (
    by_system,
    complain,
    shielded,
    suppress_system,
    too_large_raises,
    uninterrupted,
)
from comch_next.errors import IoFailed

__all__ = ["TraceFile"]

# A process that is killed finishes the page of the file that it is writing to, and no more: Linux looks for a fatal
# signal before each. So a line lies within one page, and spaces before it take it there.
_PAGE = 4096


def _ends_cut(fd: int) -> bool:
    """Whether the last line of a file was not written to its end. A file that cannot be read is taken for whole."""
    size = os.fstat(fd).st_size
    if not size:
        return False
    try:
        with open(f"/proc/self/fd/{fd}", "rb") as file:
            file.seek(max(size - _PAGE, 0))
            return bool(file.read().rpartition(b"\n")[2].strip(b" "))
    except by_system(OSError):
        return False


class TraceFile:
    """Opened at once, and again in a forked child; `%p` in its name stands for the process id.

    Appended to, so that processes may share it. Raises IoFailed when it cannot be opened. When it can be written no
    more, or a child cannot open it, the trace ends with a word on standard error: the program is not to suffer for it.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._fd = -1
        try:
            self._place = os.getcwd()  # a forked child may go elsewhere before it opens the file
        except by_system(OSError):
            self._place = ""  # removed, as opening the file will report
        self._open()
        os.register_at_fork(after_in_child=shielded(self._disinherit))

    def _open(self) -> None:
        self._pid = os.getpid()
        self._numbers = count(1)
        self._ended = False
        self._before = b""  # the next line
        path = os.path.join(self._place, self._name.replace("%p", str(self._pid)))
        try:
            self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except by_system(OSError) as error:
            raise IoFailed(f"COMCH_TRACE: {path!r} cannot be opened for appending: {error}") from error
        if _ends_cut(self._fd):
            self._before = b"\n"

    def _disinherit(self) -> None:
        """In a forked child, which opens the file when it has something to record."""
        fd, self._fd = self._fd, -1
        self._ended = False
        if fd >= 0:  # else the parent was such a child itself, and had nothing to record
            os.close(fd)

    def write(self, what: str, facts: dict[str, Any], at_ns: int | None = None) -> int:
        """Append a line and give its number. `at_ns` is on the monotonic clock, which all processes share."""
        if self._fd < 0 and not self._ended:
            try:
                self._open()
            except IoFailed as error:
                self._end(error)
        number = next(self._numbers)
        t = time.monotonic_ns() if at_ns is None else at_ns
        place = caller()
        at = {} if place is None else {"at": place}
        who = {"pid": self._pid, "thread_id": threading.get_native_id()}
        line = {"seq": number, "t": t, **who, "what": what, **facts, **at}
        self._append(json.dumps(line, separators=(",", ":")).encode("ascii") + b"\n")
        return number

    @uninterrupted
    def _append(self, line: bytes) -> None:
        if self._ended:
            return
        try:
            line, self._before = self._before + line, b""
            room = _PAGE - os.fstat(self._fd).st_size % _PAGE
            text = line if len(line) <= room else b" " * room + line
            written = too_large_raises(os.write, self._fd, text)
            if written < len(text):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except by_system(OSError) as error:
            self._end(error)

    def _end(self, error: Exception) -> None:
        self._ended = True
        with suppress_system(OSError, ValueError):  # full, too, or closed
            complain(f"COMCH_TRACE: the trace ends here: {error}")
