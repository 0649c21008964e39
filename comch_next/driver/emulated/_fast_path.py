"""What a connection knows of fast-path contexts: its own that are running, and the other side's consumers.

A consumer is announced in a datagram on the connection's socket, with the memfd of its posts, the memory that they
lie in, and the other end of its bell; another datagram says that it is going. Both are sent and read by the engine
of the connection alone; consumers and producers, which may have engines and threads of their own, leave errands there.
"""

import errno
import os
import select
import struct
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from comch_next.driver.emulated import _fabric as fabric
from comch_next.driver.emulated._bell import check_bell
from comch_next.driver.emulated._shared import PAGE, ffi, lib, make_shared, map_shared
from comch_next.errors import DocaError, ErrorCode, InUse

if TYPE_CHECKING:
    from comch_next.driver.emulated._connection import Connection
    from comch_next.driver.emulated._fast_context import FastContext

__all__ = ["FastPath", "Offer", "Target", "make_posts", "posts_size"]

_NEWS = struct.Struct("<4sBxxxIIIQ")  # magic, kind, consumer's id, depth, longest immediate data, memory's size
_MAGIC = b"CMFP"
_NEW, _EXPIRED = 1, 2
_MOST_DEPTH, _MOST_IMM, _MOST_MEMORY = 1 << 16, 1024, 1 << 40


def posts_size(depth: int, imm_max: int) -> int:
    """Bytes of the memory that `depth` posts need."""
    return PAGE + depth * int(lib.comch_post_stride(imm_max))


def make_posts(depth: int, imm_max: int) -> int:
    """A descriptor of memory for that many posts. Raises OSError."""
    return make_shared("comch-posts", posts_size(depth, imm_max), commit=True)


@dataclass(eq=False)
class Offer:
    """A consumer of this side, from its start to its stop. `fds`: its posts, its memory, the other end of its bell."""

    consumer_id: int
    depth: int
    imm_max: int
    memory_size: int
    fds: list[int]
    announced: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> list[int]:
        """The descriptors, once: the consumer's thread closes what the connection's has not sent."""
        with self.lock:
            fds, self.fds = self.fds, []
        return fds

    def close(self) -> None:
        """Give the descriptors back that have not been sent."""
        fabric.close_all(self.take())


@dataclass(eq=False)
class News:
    """What is to be said of a consumer."""

    kind: int
    offer: Offer
    fds: list[int]

    def encode(self) -> bytes:
        offer = self.offer
        return _NEWS.pack(_MAGIC, self.kind, offer.consumer_id, offer.depth, offer.imm_max, offer.memory_size)


class Target:
    """A consumer of the other side, as producers here see it. They take turns by its lock."""

    def __init__(self, depth: int, imm_max: int, memory_size: int, fds: list[int]) -> None:
        self.imm_max = imm_max
        self.lock = threading.Lock()
        self._posts = map_shared(fds[0], posts_size(depth, imm_max), committed=True)
        self._memory = map_shared(fds[1], memory_size, committed=True)
        self.bell = check_bell(fds[2])
        self.c: Any = ffi.new("comch_target *")
        self.c.depth, self.c.stride, self.c.imm_max = depth, lib.comch_post_stride(imm_max), imm_max
        self.c.memory_size, self.c.bell = memory_size, self.bell
        lib.comch_target_attach(self.c, self._posts, self._memory)

    def close(self) -> None:
        """Ring no more; the memory goes with the last producer that is using it."""
        with self.lock:
            self.c.bell = -1
            if self.bell >= 0:
                os.close(self.bell)
                self.bell = -1


class FastPath:
    """One per connection. `live` are this side's consumers and producers from their start until they are IDLE."""

    def __init__(self, connection: "Connection") -> None:
        self.connection = connection
        self.live: list[FastContext] = []
        self.targets: dict[int, Target] = {}
        self.made: list[FastContext] = []  # that have not been destroyed
        self._ids = count(1 if connection.context.is_server else 2, 2)  # so that no two on a connection are the same
        self._outbox: deque[News] = deque()
        self._wants_room = False  # the socket is watched for it

    def next_id(self) -> int:
        """A number for a consumer or producer that no other on this connection has had."""
        return next(self._ids)

    def check_unused(self, call: str) -> None:
        """Raise InUse while consumers or producers are running."""
        if self.live:
            names = ", ".join(map(str, self.live))
            raise InUse(f"{call}: the {self.connection} still carries {names}; stop them first")

    # To the other side

    def announce(self, offer: Offer, told: Callable[[], object]) -> None:
        """Tell the other side of a consumer, unless it has been withdrawn since; then call `told`."""
        if fds := offer.take():
            self._say(_NEW, offer, fds)
            offer.announced = True
            told()

    def withdraw(self, offer: Offer) -> None:
        """Tell it that the consumer is going, unless it has not even heard of it."""
        unsent = next((news for news in self._outbox if news.offer is offer), None)
        if unsent is not None:
            self._outbox.remove(unsent)
            fabric.close_all(unsent.fds)
        elif offer.announced:
            self._say(_EXPIRED, offer, [])

    def _say(self, kind: int, offer: Offer, fds: list[int]) -> None:
        self._outbox.append(News(kind, offer, fds))
        if len(self._outbox) == 1:
            self.speak()

    def speak(self) -> None:
        """Send what waits, and go on when there is room again."""
        if not (self._outbox or self._wants_room):
            return
        sock = self.connection.sock
        while self._outbox:
            news = self._outbox[0]
            if sock is not None:
                try:
                    fabric.send(sock, news.encode(), news.fds)
                except BlockingIOError:
                    self._wants_room = True
                    self.connection.context.watch.modify(sock, select.EPOLLIN | select.EPOLLOUT)
                    return
                except OSError as error:
                    if error.errno not in (errno.EPIPE, errno.ECONNRESET):  # descriptors in flight have run out
                        reason = f"the other side cannot be told of a consumer: {error}"
                        self.connection.lose(ErrorCode.CONNECTION_RESET, reason)
                        return
                    sock = None  # the other side is gone, and the socket will say so
            fabric.close_all(self._outbox.popleft().fds)
        if self._wants_room and sock is not None:
            self._wants_room = False
            self.connection.context.watch.modify(sock, select.EPOLLIN)

    # From the other side

    def hear(self, data: bytes, fds: list[int]) -> bool:
        """Take in a datagram if it is about consumers; False for anything that does not make sense."""
        if len(data) != _NEWS.size or data[:4] != _MAGIC:
            return False
        _, kind, consumer_id, depth, imm_max, memory_size = _NEWS.unpack(data)
        context = self.connection.context
        if kind == _EXPIRED and consumer_id in self.targets:
            self.targets.pop(consumer_id).close()
            self._tell(context.expired_consumer, consumer_id)
            return True
        most = context.dev.info.row.limits.max_consumers
        sane = 0 < depth <= _MOST_DEPTH and imm_max <= _MOST_IMM and 0 < memory_size <= _MOST_MEMORY and len(fds) == 3
        if kind != _NEW or not sane or not consumer_id or consumer_id in self.targets or len(self.targets) >= most:
            return False
        try:
            self.targets[consumer_id] = Target(depth, imm_max, memory_size, fds)
        except (DocaError, OSError):
            return False
        fds.pop()  # the bell is the target's now
        self._tell(context.new_consumer, consumer_id)
        return True

    def _tell(self, callback: Any, consumer_id: int) -> None:
        engine = self.connection.context.engine
        if callback is None or engine is None:
            return
        if engine.busy:
            engine.call(callback, self.connection, consumer_id)
        else:  # a pull port is looking at the sockets: callbacks run inside of progress only
            engine.send_on(partial(engine.call, callback, self.connection, consumer_id))

    # The end

    def end(self) -> None:
        """The connection is over: every context here is told, every consumer there has expired."""
        while self._outbox:
            fabric.close_all(self._outbox.popleft().fds)
        for context in list(self.live):
            if context.engine is not None:
                context.engine.send_on(context.bereaved)
        while self.targets:
            consumer_id, target = self.targets.popitem()
            target.close()
            self._tell(self.connection.context.expired_consumer, consumer_id)

    def let_go(self) -> None:
        """In a forked child: see _fork."""
        for news in self._outbox:
            with suppress(OSError):
                fabric.close_all(news.fds)
        for target in self.targets.values():
            with suppress(OSError):
                os.close(target.bell)
