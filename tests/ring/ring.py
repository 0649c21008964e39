"""A ring with both of its ends in one hand, and the raw words that the two sides share."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from comch_next.driver.emulated._fabric.bells import new_bell
from comch_next.driver.emulated._kernel.ring import Receiver, Sender, ffi, lib, make_memory

OK, AGAIN, LONG, CLOSED, CORRUPT, LOOK = (
    lib.COMCH_OK,
    lib.COMCH_AGAIN,
    lib.COMCH_LONG,
    lib.COMCH_CLOSED,
    lib.COMCH_CORRUPT,
    lib.COMCH_POLL,
)
PAGE = 4096
HEADER = 16
NO_CUT = (1 << 64) - 1


def footprint(length: int) -> int:
    """Bytes that a message takes in the ring."""
    return (HEADER + length + 15) & ~15


def send(tx: Any, data: bytes) -> int:
    """comch_send, without being sent to look at sockets."""
    while (result := int(lib.comch_send(tx, data, len(data)))) == LOOK:
        pass
    return result


class Reader:
    """Reads several receivers in the order of arrival, as an engine does."""

    def __init__(self, *receivers: Receiver, size: int = 1 << 16) -> None:
        self.poller = ffi.new("comch_poller *")
        self.size = size
        self.buffer = ffi.new("char[]", size)
        self.follow(*receivers)

    def follow(self, *receivers: Receiver) -> None:
        self._receivers = receivers
        self._rings = ffi.new("comch_rx *[]", [each.rx for each in receivers])
        self._slots = ffi.new("comch_slot[]", len(receivers))
        lib.comch_follow(self.poller, self._rings, self._slots, len(receivers))

    def next(self, size: int | None = None) -> tuple[int, bytes] | int:
        """(which ring, message), or a negative code."""
        while (length := int(lib.comch_find(self.poller))) == LOOK:
            if not any(lib.comch_available(each.rx) for each in self._receivers):
                return int(AGAIN)
        if length < 0:
            return length
        if length > (self.size if size is None else size):
            return int(LONG)
        result = int(lib.comch_take(self.poller, self.buffer))
        return result if result < 0 else (int(self.poller.index), bytes(ffi.buffer(self.buffer)[:length]))

    def data(self, size: int | None = None) -> bytes | int:
        """The message alone, or a negative code."""
        found = self.next(size)
        return found if isinstance(found, int) else found[1]


class Words:
    """The memory of a ring as a hostile side may write it."""

    def __init__(self, fd: int) -> None:
        self.map = mmap.mmap(fd, os.fstat(fd).st_size)
        self.place = int.from_bytes(self.map[lib.COMCH_PLACE : PAGE], "little")

    def __setitem__(self, name: str, value: int) -> None:
        at, width = self._place(name)
        self.map[at : at + width] = (value % (1 << 8 * width)).to_bytes(width, "little")

    def __getitem__(self, name: str) -> int:
        at, width = self._place(name)
        return int.from_bytes(self.map[at : at + width], "little")

    def _place(self, name: str) -> tuple[int, int]:
        width = 4 if name.endswith("_armed") else 8
        return self.place + int(ffi.offsetof("comch_shared", name)), width

    def set_length(self, pos: int, length: int) -> None:
        """The length word of the record at a position, and the reserved one after it."""
        self.map[PAGE + pos : PAGE + pos + 8] = length.to_bytes(8, "little")

    def set_stamp(self, pos: int, stamp: int) -> None:
        self.map[PAGE + pos + 8 : PAGE + pos + 16] = stamp.to_bytes(8, "little")

    def close(self) -> None:
        self.map.close()


class Ring:
    """Sender, receiver and shared words of one direction."""

    def __init__(self, max_msg: int, recv_limit: int, send_limit: int) -> None:
        self.fd = make_memory(max_msg, recv_limit + send_limit)
        self.data_bell, self.far_data = new_bell()
        self.space_bell, self.far_space = new_bell()
        self.sender = Sender(self.fd, max_msg, recv_limit, send_limit, self.far_data).attach()
        self.receiver = Receiver(self.fd, max_msg, recv_limit, send_limit, self.far_space).attach()
        self.tx, self.rx = self.sender.tx, self.receiver.rx
        self.reader = Reader(self.receiver)
        self.words = Words(self.fd)

    def send(self, data: bytes) -> int:
        return send(self.tx, data)

    def receive(self, size: int | None = None) -> bytes | int:
        return self.reader.data(size)

    def close(self) -> None:
        self.words.close()
        self.sender.close()
        self.receiver.close()
        for fd in (self.fd, self.data_bell, self.space_bell, self.far_data, self.far_space):
            os.close(fd)


@contextmanager
def ring(max_msg: int = 100, recv_limit: int = 4, send_limit: int = 4) -> Iterator[Ring]:
    """A ring that is given back at the end."""
    made = Ring(max_msg, recv_limit, send_limit)
    try:
        yield made
    finally:
        made.close()
