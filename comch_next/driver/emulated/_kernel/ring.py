"""The two ends of a ring: sealed shared memory, its mapping, and the kernel's view of it."""

import itertools
import os
import sys
from typing import Any

from comch_next.driver.emulated._kernel.calls import Memory
from comch_next.driver.emulated._kernel.memory import PAGE, check_shared, ffi, lib, make_shared
from comch_next.errors import ErrorCode, NoMemory, from_code

__all__ = ["ANY_SIZE", "Receiver", "Sender", "ffi", "lib", "make_memory"]

ANY_SIZE = (1 << 64) - 1  # bytes, of a message: whatever comes
_MOST = (1 << 32) - PAGE  # positions are 32 bits wide
_places = itertools.cycle(range(0, lib.COMCH_LAST_PLACE + 1, 64))  # see ring.h


def _size(max_msg: int, messages: int) -> int:
    capacity = int(lib.comch_ring_capacity(max_msg, messages))
    if capacity > _MOST:
        raise NoMemory(f"a ring of {messages} messages of {max_msg} bytes would have {capacity} bytes, above {_MOST}")
    return PAGE + capacity


def make_memory(max_msg: int, messages: int) -> int:
    """A descriptor of new memory for a ring of that many messages of at most `max_msg` bytes. Raises OSError."""
    fd = make_shared("comch-ring", _size(max_msg, messages))
    try:
        os.pwrite(fd, next(_places).to_bytes(4, sys.byteorder), lib.COMCH_PLACE)
    except BaseException:
        os.close(fd)
        raise
    return fd


class _End:
    """A mapping of a ring's memory; the counters stay when it has been given back.

    The kernel does not know where it is before `attach`: by then somebody keeps this end, whatever interrupts.
    """

    def __init__(self, fd: int, max_msg: int, messages: int) -> None:
        size = _size(max_msg, messages)
        check_shared(fd, size)
        self._memory = Memory(fd, size)
        self._base: Any = ffi.cast("void *", self._memory.address)
        self.capacity = size - PAGE

    def _attached(self, result: int) -> None:
        if result == lib.COMCH_OK:
            return
        self._unmap()
        if result == lib.COMCH_NOMEM:
            raise NoMemory("no memory for the ring's first part")
        raise from_code(ErrorCode.CONNECTION_ABORTED, "the offered ring has no valid layout")

    def _unmap(self) -> None:
        """Unmap the ring without notifying the peer. Idempotent."""
        self._base = ffi.NULL
        self._memory.release()


class Sender(_End):
    """The writing end. `bell` is rung when data arrives while the reader has asked for it; `tx` is zeroed memory."""

    def __init__(
        self, fd: int, max_msg: int, recv_limit: int, send_limit: int, bell: int, tx: Any = None
    ) -> None:
        super().__init__(fd, max_msg, recv_limit + send_limit)
        self.tx = ffi.new("comch_tx *") if tx is None else tx
        self.tx.capacity = self.capacity
        self.tx.max_msg = max_msg
        self.tx.recv_limit = recv_limit
        self.tx.send_limit = send_limit
        self.tx.bell = bell

    def attach(self) -> "Sender":
        """Begin; returns itself. Raises NoMemory, ConnectionAborted."""
        self._attached(lib.comch_tx_attach(self.tx, self._base))
        return self

    def close(self) -> None:
        """End the direction, then unmap."""
        if self._base:
            lib.comch_cut(self.tx)
        self._unmap()


class Receiver(_End):
    """The reading end. `bell` is rung when room appears while the writer has asked for it; `rx` is zeroed memory."""

    def __init__(
        self, fd: int, max_msg: int, recv_limit: int, send_limit: int, bell: int, rx: Any = None
    ) -> None:
        super().__init__(fd, max_msg, recv_limit + send_limit)
        self.rx = ffi.new("comch_rx *") if rx is None else rx
        self.rx.capacity = self.capacity
        self.rx.max_msg = max_msg
        self.rx.limit = recv_limit + send_limit
        self.rx.bell = bell

    def attach(self) -> "Receiver":
        """Begin; returns itself. Raises ConnectionAborted."""
        self._attached(lib.comch_rx_attach(self.rx, self._base))
        return self

    def close(self) -> None:
        """Unmap; the kernel finds nothing to read there any more."""
        if self._base:
            self.rx.shared = ffi.NULL
        self._unmap()
