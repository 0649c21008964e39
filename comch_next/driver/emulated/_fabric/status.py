"""What a server publishes for other processes, such as `admin`; reading it does not involve the server.

Its lock file identifies it, written once, at the start. Its board is a memfd with a cell for each connection. The
ends of the rings keep their counters there instead of in memory of their own, so that showing them costs nothing.
The board is sealed: nobody can write to it but through the server's own mapping, nor take its memory away.
"""

import fcntl
import os
import time
from collections.abc import Mapping
from typing import Any, NamedTuple, get_type_hints

from comch_next.driver.emulated._fabric.handshake import VERSION as WIRE_VERSION
from comch_next.driver.emulated._kernel.calls import Memory
from comch_next.driver.emulated._kernel.ring import ffi
from comch_next.driver.protocol import by_system, too_large_raises

__all__ = ["BOARD", "CELL", "MOST_CELLS", "Board", "Cell", "Status", "boot_time"]

BOARD = "comch-board"
CELL = ffi.sizeof("comch_cell")  # bytes
MOST_CELLS = 1 << 17  # twice the most clients that a topology can state
_VERSION = 2
_F_SEAL_FUTURE_WRITE = 0x10  # which Python's fcntl names only from 3.13 on
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | _F_SEAL_FUTURE_WRITE | fcntl.F_SEAL_SEAL


def boot_time() -> int:
    """Return nanoseconds since boot, on the clock in which /proc has the start of a process."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Status(NamedTuple):
    """The text in the lock file. `board_fd` and `board_inode` are -1 where there is no board."""

    name: str
    device: str
    representor: str
    pid: int
    since: int
    max_clients: int
    board_fd: int
    board_inode: int
    cell: int = CELL
    wire: int = WIRE_VERSION
    version: int = _VERSION

    def encode(self) -> bytes:
        import json  # a client needs none

        return json.dumps(self._asdict()).encode("ascii")

    @classmethod
    def of_this_process(
        cls, name: str, device: str, representor: str, max_clients: int, board: tuple[int, int] | None
    ) -> "Status":
        return cls(name, device, representor, os.getpid(), boot_time(), max_clients, *(board or (-1, -1)))

    @classmethod
    def decode(cls, data: bytes) -> "Status":
        """Decode a lock file. Raises ValueError, with the defect: any process may have written it."""
        import json

        try:
            found = json.loads(data)
        except by_system(ValueError, RecursionError):
            raise ValueError("damaged status" if data else "no status") from None
        if not isinstance(found, Mapping):
            raise ValueError("damaged status")
        version = found.get("version")
        if type(version) is int and version != _VERSION:
            raise ValueError(f"status of version {version}, this release reads {_VERSION}")
        if not _well_formed(found):
            raise ValueError("damaged status")
        if found["cell"] != CELL:
            raise ValueError("status of another build")
        return cls(**found)


_KINDS = get_type_hints(Status)


def _well_formed(found: Mapping[str, Any]) -> bool:
    if set(found) != set(_KINDS) or not all(type(found[name]) is kind for name, kind in _KINDS.items()):
        return False
    return all(-1 <= found[name] < 1 << 63 for name, kind in _KINDS.items() if kind is int)


class Board:
    """The memory of the cells."""

    def __init__(self, cells: int) -> None:
        """Raises OSError."""
        self._cells, self._used = cells, 0
        self._free: list[Any] = []
        size = cells * CELL
        self._fd = os.memfd_create(BOARD, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            too_large_raises(os.ftruncate, self._fd, size)
            self._memory = Memory(self._fd, size)
            self._first = ffi.cast("comch_cell *", self._memory.address)
            fcntl.fcntl(self._fd, fcntl.F_ADD_SEALS, _SEALS)
            self.place = self._fd, os.fstat(self._fd).st_ino
        except BaseException:
            os.close(self._fd)
            raise

    @classmethod
    def of(cls, max_clients: int) -> "Board | None":
        """None where there is no memory or descriptor to spare: a server runs as well without.

        A connection that has ended keeps its cell while its messages are read, hence twice as many.
        """
        try:
            return cls(2 * max_clients or MOST_CELLS)
        except by_system(OSError):
            return None

    def take(self) -> "Cell":
        """A zeroed cell; one that cannot be seen from outside where there is none left."""
        if self._free:
            cell = Cell(self._free[-1], self)
            self._free.pop()
            return cell
        if self._used == self._cells:
            return Cell.private()
        try:
            os.posix_fallocate(self._fd, self._used * CELL, CELL)  # here, for there it would be a SIGBUS
        except by_system(OSError):
            return Cell.private()
        cell = Cell(self._first + self._used, self)
        self._used += 1
        return cell

    def give_back(self, c: Any) -> None:
        ffi.memmove(c, bytes(CELL), CELL)
        self._free.append(c)

    def close(self) -> None:
        """Close the board for readers; the memory goes with the last cell. Idempotent."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


class Cell:
    """One connection: the local state of its two ends, and whose it is."""

    __slots__ = ("_board", "_c", "rx", "tx")

    def __init__(self, c: Any, board: Board | None) -> None:
        self._c, self._board = c, board
        self.tx: Any = ffi.addressof(c, "tx")
        self.rx: Any = ffi.addressof(c, "rx")

    def addresses(self) -> tuple[int, int]:
        """Where tx and rx lie."""
        return int(ffi.cast("uintptr_t", self.tx)), int(ffi.cast("uintptr_t", self.rx))

    @classmethod
    def private(cls) -> "Cell":
        return cls(ffi.new("comch_cell *"), None)

    def show(self, client_pid: int) -> None:
        """Show that the connection is up."""
        self._c.client_pid, self._c.since = client_pid, boot_time()
        self._c.up = 1

    def hide(self) -> None:
        """Show that the connection has ended."""
        self._c.up = 0

    def copy(self) -> "Cell":
        """A private cell with the same counters, for a connection that has ended; itself if it is private."""
        return self if self._board is None else Cell(ffi.new("comch_cell *", self._c[0]), None)

    def retire(self) -> None:
        """Be free for another connection, once this one uses a copy. Idempotent."""
        board, self._board = self._board, None
        if board is not None:
            board.give_back(self._c)
