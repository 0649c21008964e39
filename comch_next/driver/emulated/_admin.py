"""The servers of this runtime directory and their connections, as other processes of the user can see them.

No server is contacted: its lock shows whether it lives, and the rest is what it publishes (see _fabric.status). A
hostile process may hold a lock, so nothing is trusted further than it can be checked.
"""

import errno
import os
import stat
from collections.abc import Iterator

from comch_next.driver.emulated._fabric.meeting import (
    LOCK,
    absolute,
    directory,
    file_name,
    is_chosen,
    owned_by_living,
    runtime_dir,
)
from comch_next.driver.emulated._fabric.status import BOARD, CELL, MOST_CELLS, Status
from comch_next.driver.emulated._kernel.memory import ffi, open_shared
from comch_next.driver.protocol import ConnectionStatus, ServerStatus, by_system, uninterrupted
from comch_next.errors import NotPermitted, OperatingSystem

__all__ = ["Admin"]

_LONGEST = 1 << 19  # bytes of a status: the longest name, every character of it escaped
_LOOK_ONLY = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


class Admin:
    """The noun Admin of the driver protocol."""

    def get_place(self) -> str:
        return absolute(runtime_dir())

    @uninterrupted
    def create_list(self) -> list[ServerStatus]:
        try:
            with directory(runtime_dir(), create=False) as folder:
                names = sorted(filter(LOCK.fullmatch, os.listdir(folder)))
                return [found for name in names if (found := _server(folder, name))]
        except by_system(OSError) as error:
            if isinstance(error, FileNotFoundError) and not is_chosen():
                return []  # no server has ever run there
            kind = NotPermitted if isinstance(error, PermissionError) else OperatingSystem
            raise kind(f"the runtime directory {self.get_place()} cannot be inspected: {error.strerror}") from error


def _server(folder: int, name: str) -> ServerStatus | None:
    """What is behind that lock file; None when no living server holds it."""
    try:
        lock = os.open(name, _LOOK_ONLY | os.O_NOFOLLOW, dir_fd=folder)
    except by_system(OSError) as error:
        # Gone by now, or nothing that a server would lock.
        gone = error.errno in (errno.ENOENT, errno.ELOOP, errno.ENXIO)
        return None if gone else ServerStatus(name, fault=f"cannot be opened: {error.strerror}")
    try:
        if not owned_by_living(lock):
            return None
        regular = stat.S_ISREG(os.fstat(lock).st_mode)
        return _tell(name, os.pread(lock, _LONGEST, 0) if regular else b"")
    finally:
        os.close(lock)


def _tell(file: str, data: bytes) -> ServerStatus:
    try:
        status = Status.decode(data)
        if f"{file_name(status.device, status.representor, status.name)}.lock" != file:
            raise ValueError("status of another server")
        if not _runs(status.pid, status.since):
            raise ValueError(f"status of process {status.pid}, which cannot be seen from here")
    except by_system(ValueError) as error:
        return ServerStatus(file, fault=str(error))
    known = (file, status.name, status.device, status.representor, status.pid, status.max_clients, status.wire)
    try:
        return ServerStatus(*known, tuple(_connections(_board(status))))
    except by_system(OSError) as error:
        return ServerStatus(*known, fault=f"connections cannot be seen: {error.strerror}")


def _runs(pid: int, since: int) -> bool:
    """Whether a process that is older than that moment runs under that number."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            state, *rest = file.read().rpartition(b")")[2].split()
        return state not in (b"Z", b"X") and int(rest[18]) * _TICK_NS <= since
    except by_system(OSError, IndexError, ValueError):
        return False


def _board(status: Status) -> bytes:
    """The server's cells. Raises OSError when there are none to be had."""
    has_one = status.board_fd >= 0
    fd = open_shared(status.pid, status.board_fd, [BOARD], status.board_inode, os.O_RDONLY) if has_one else None
    if fd is None:
        raise FileNotFoundError(errno.ENOENT, "it has no board")
    try:
        return os.pread(fd, min(os.fstat(fd).st_size, MOST_CELLS * CELL), 0)
    finally:
        os.close(fd)


def _connections(board: bytes) -> Iterator[ConnectionStatus]:
    """Those that are up and whose clients live, whether or not the server has noticed an end."""
    for cell in ffi.from_buffer("comch_cell[]", board):
        pid = int(cell.client_pid)
        if cell.up and (pid == 0 or _runs(pid, cell.since)):
            tx, rx = cell.tx, cell.rx
            yield ConnectionStatus(pid or None, int(tx.head), int(tx.sent_bytes), int(rx.tail), int(rx.received_bytes))
