"""The two ends of a ring: sealed shared memory, its mapping, and the kernel's view of it."""

import fcntl
import os
from typing import Any

from comch_next.driver.emulated._ring_c import ffi, lib
from comch_next.errors import ErrorCode, NoMemory, from_code

__all__ = ["Receiver", "Sender", "ffi", "lib", "make_memory"]

_PAGE = 4096
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
_MOST = (1 << 32) - _PAGE  # positions are 32 bits wide


def _size(max_msg: int, messages: int) -> int:
    capacity = int(lib.comch_ring_capacity(max_msg, messages))
    if capacity > _MOST:
        raise NoMemory(f"a ring of {messages} messages of {max_msg} bytes would have {capacity} bytes, above {_MOST}")
    return _PAGE + capacity


def make_memory(max_msg: int, messages: int) -> int:
    """A descriptor of new memory for a ring of that many messages of at most `max_msg` bytes.

    Its size is sealed: neither side can pull it from under the other. Raises OSError.
    """
    fd = os.memfd_create("comch-ring", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(fd, _size(max_msg, messages))
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, _SEALS)
    except BaseException:
        os.close(fd)
        raise
    return fd


class _End:
    """A mapping of a ring's memory; `close` gives the memory back, the counters stay."""

    def __init__(self, fd: int, max_msg: int, messages: int) -> None:
        size = _size(max_msg, messages)
        # The seals first: before them the other side may still change the size.
        if fcntl.fcntl(fd, fcntl.F_GET_SEALS) & _SEALS != _SEALS or os.fstat(fd).st_size != size:
            raise from_code(ErrorCode.CONNECTION_ABORTED, "the ring offered is not of the agreed size and sealed")
        memory = lib.comch_map(fd, size)
        if memory == ffi.NULL:
            raise OSError(ffi.errno, os.strerror(ffi.errno))
        self._memory: Any = ffi.gc(memory, lambda mapped: lib.comch_unmap(mapped, size))
        self.capacity = size - _PAGE

    def close(self) -> None:
        """Give the memory back; harmless when done before."""
        self.unmap()

    def unmap(self) -> None:
        """The same without a word to the other side."""
        if self._memory is not None:
            ffi.release(self._memory)
            self._memory = None


class Sender(_End):
    """The writing end. `bell` is rung when data arrives while the reader has asked for it."""

    def __init__(self, fd: int, max_msg: int, recv_limit: int, send_limit: int, bell: int) -> None:
        super().__init__(fd, max_msg, recv_limit + send_limit)
        self.tx = ffi.new("comch_tx *")
        self.tx.capacity = self.capacity
        self.tx.max_msg = max_msg
        self.tx.recv_limit = recv_limit
        self.tx.send_limit = send_limit
        self.tx.bell = bell
        if lib.comch_tx_attach(self.tx, self._memory) != lib.COMCH_OK:
            self.close()
            raise NoMemory("no memory for the ring's first part")

    def close(self) -> None:
        """End the direction, then unmap."""
        if self._memory is not None:
            lib.comch_cut(self.tx)
        super().close()


class Receiver(_End):
    """The reading end. `bell` is rung when room appears while the writer has asked for it."""

    def __init__(self, fd: int, max_msg: int, recv_limit: int, send_limit: int, bell: int) -> None:
        super().__init__(fd, max_msg, recv_limit + send_limit)
        self.rx = ffi.new("comch_rx *")
        self.rx.capacity = self.capacity
        self.rx.max_msg = max_msg
        self.rx.limit = recv_limit + send_limit
        self.rx.bell = bell
        lib.comch_rx_attach(self.rx, self._memory)
