"""How the two sides announce consumers: the offer, the news of it, and the target that it becomes.

A consumer is announced in a datagram on the connection's socket, with the memfd of its posts, the memory that they
lie in, and the other end of its bell; another datagram says that it is going.
"""

import struct
from typing import Any, NamedTuple

from comch_next.driver.emulated._fabric.bells import check_bell
from comch_next.driver.emulated._fabric.handshake import close_all, discard_all
from comch_next.driver.emulated._kernel import calls
from comch_next.driver.emulated._kernel.memory import PAGE, ffi, lib, make_shared, map_shared
from comch_next.driver.protocol import new_lock

__all__ = ["EXPIRED", "NEW", "News", "Offer", "Target", "make_posts", "posts_size"]

_NEWS = struct.Struct("<4sB3sIIIQ")  # magic, kind, reserved, id, depth, longest immediate data, memory's size
_MAGIC, _RESERVED = b"CMFP", bytes(3)
NEW, EXPIRED = 1, 2
_MOST_DEPTH, _MOST_IMM, _MOST_MEMORY = 1 << 16, 1024, 1 << 40


def posts_size(depth: int, imm_max: int) -> int:
    """Bytes of the memory that `depth` posts need."""
    return PAGE + depth * int(lib.comch_post_stride(imm_max))


def make_posts(depth: int, imm_max: int) -> int:
    """A descriptor of memory for that many posts. Raises OSError."""
    return make_shared("comch-posts", posts_size(depth, imm_max), commit=True)


class Offer:
    """A consumer, from its start to its stop. `fds`: its posts, its memory, the other end of its bell."""

    def __init__(self, consumer_id: int, depth: int, imm_max: int, memory_size: int, fds: list[int]) -> None:
        self.consumer_id, self.depth, self.imm_max, self.memory_size = consumer_id, depth, imm_max, memory_size
        self.fds = fds
        self.announced = False
        self.lock = new_lock()

    def sane(self) -> bool:
        """Bounded as the widest device could state it, and whole."""
        bounded = 0 < self.depth <= _MOST_DEPTH and self.imm_max <= _MOST_IMM and 0 < self.memory_size <= _MOST_MEMORY
        return bounded and self.consumer_id > 0 and len(self.fds) == 3

    def take(self) -> list[int]:
        """The descriptors, once: the consumer's thread closes what the connection's has not sent."""
        with self.lock:
            fds, self.fds = self.fds, []
        return fds

    def close(self) -> None:
        """Give the descriptors back that have not been sent."""
        close_all(self.take())


class News(NamedTuple):
    """An announcement about a consumer. `kind` is NEW, with the offer's descriptors, or EXPIRED."""

    kind: int
    offer: Offer
    fds: list[int]

    def encode(self) -> bytes:
        offer = self.offer
        words = offer.consumer_id, offer.depth, offer.imm_max, offer.memory_size
        return _NEWS.pack(_MAGIC, self.kind, _RESERVED, *words)

    @classmethod
    def decode(cls, data: bytes, fds: list[int]) -> "News | None":
        """Decode a datagram; None if it is not about a consumer, or has limits that no consumer has."""
        if len(data) != _NEWS.size or data[:4] != _MAGIC:
            return None
        _, kind, reserved, consumer_id, depth, imm_max, memory_size = _NEWS.unpack(data)
        if kind not in (NEW, EXPIRED) or reserved != _RESERVED:
            return None
        return cls(kind, Offer(consumer_id, depth, imm_max, memory_size, fds), fds)


class Target(calls.Target):
    """A consumer of the other side, as producers here see it. They take turns by its lock."""

    def __init__(self, depth: int, imm_max: int, memory_size: int, fds: list[int]) -> None:
        self.imm_max = imm_max
        self.lock = new_lock()
        self._posts = map_shared(fds[0], posts_size(depth, imm_max), committed=True)
        self._memory = map_shared(fds[1], memory_size, committed=True)
        self.bell = check_bell(fds[2])
        self.c: Any = ffi.new("comch_target *")
        self.c.depth, self.c.stride, self.c.imm_max = depth, lib.comch_post_stride(imm_max), imm_max
        self.c.memory_size, self.c.bell = memory_size, self.bell
        lib.comch_target_attach(self.c, self._posts, self._memory)
        self.hold((self.c, self._posts, self._memory), int(ffi.cast("uintptr_t", self.c)))

    def close(self) -> None:
        """Stop ringing; the memory goes with the last producer that is using it."""
        with self.lock:
            self.c.bell = -1
            self.let_go()

    def let_go(self) -> None:
        """Give the bell back."""
        bell, self.bell = self.bell, -1
        if bell >= 0:
            discard_all([bell])
