"""What a connection knows of fast-path contexts: its own that are running, and the other side's consumers.

News of consumers is sent and read by the engine of the connection alone; consumers and producers, which may have
engines and threads of their own, leave calls there.
"""

import errno
import select
import socket
from collections import deque
from collections.abc import Callable
from itertools import count
from typing import Any, ClassVar

from comch_next.driver.emulated._context import Callback, Progress
from comch_next.driver.emulated._device import Dev
from comch_next.driver.emulated._fabric import handshake
from comch_next.driver.emulated._fabric.offers import EXPIRED, NEW, News, Offer, Target
from comch_next.driver.emulated._kernel.memory import EXHAUSTED
from comch_next.driver.emulated._path import Path
from comch_next.driver.protocol import Lock, by_system, suppress_system, uninterrupted
from comch_next.driver.protocol._typed import Protocol
from comch_next.errors import DocaError, ErrorCode

__all__ = ["FastPath", "Owner"]


class Owner(Protocol):
    """The server or client that a connection is of, as its fast path sees it."""

    is_server: ClassVar[bool]
    dev: Dev
    engine: Progress | None
    watch: select.epoll
    new_consumer: Callback | None
    expired_consumer: Callback | None


class Carrier(Protocol):
    """The connection, as its fast path sees it."""

    sock: socket.socket | None
    status: ErrorCode

    @property
    def context(self) -> Owner: ...
    @property
    def lock(self) -> Lock: ...
    def left(self) -> int: ...
    def lose(self, status: ErrorCode, reason: str) -> None: ...
    def report_violation(self) -> None: ...


class FastPath(Path):
    """One per connection."""

    def __init__(self, connection: Carrier) -> None:
        # Odd and even, so that no two on a connection are the same.
        super().__init__(count(1 if connection.context.is_server else 2, 2))
        self.connection = connection
        self._outbox: deque[News] = deque()
        self._wants_room = False  # the socket is watched for it
        self._expired: list[int] = []  # with the connection, and not reported

    def __str__(self) -> str:
        return str(self.connection)

    @property
    def dev(self) -> Dev:
        return self.connection.context.dev

    @property
    def status(self) -> ErrorCode:
        return self.connection.status

    def unnoticed_end(self) -> ErrorCode:
        return ErrorCode.SHUTDOWN if self.connection.left() else ErrorCode.CONNECTION_RESET

    def lacking(self) -> list[str]:
        context = self.connection.context
        if context.new_consumer is not None:
            return []
        return [f"the consumer event of its {context} (event_consumer_register, before that is started)"]

    def end_of_peer(self) -> socket.socket | None:
        return self.connection.sock

    def run(self, call: Callable[[], object]) -> None:
        engine = self.connection.context.engine
        if engine is not None:
            engine.call_soon_threadsafe(call)

    def lose(self, status: ErrorCode, reason: str) -> None:
        with self.connection.lock:
            self.connection.lose(status, reason)

    def report_violation(self) -> None:
        self.connection.report_violation()

    # To the other side

    def announce(self, offer: Offer, announced: Callable[[], object]) -> None:
        if fds := offer.take():
            self._say(NEW, offer, fds)
            offer.announced = True
            announced()

    def withdraw(self, offer: Offer) -> None:
        unsent = next((news for news in self._outbox if news.offer is offer), None)
        if unsent is not None:
            self._outbox.remove(unsent)
            handshake.close_all(unsent.fds)
        elif offer.announced:
            self._say(EXPIRED, offer, [])

    def _say(self, kind: int, offer: Offer, fds: list[int]) -> None:
        self._outbox.append(News(kind, offer, fds))
        if len(self._outbox) == 1:
            self.speak()

    def speak(self) -> None:
        """Send the waiting news, and go on when there is room again."""
        if not (self._outbox or self._wants_room):
            return
        sock = self.connection.sock
        while self._outbox:
            news = self._outbox[0]
            if sock is not None:
                try:
                    handshake.send(sock, news.encode(), news.fds)
                except by_system(BlockingIOError):
                    self._wants_room = True
                    self.connection.context.watch.modify(sock, select.EPOLLIN | select.EPOLLOUT)
                    return
                except by_system(OSError) as error:
                    if error.errno not in (errno.EPIPE, errno.ECONNRESET):  # descriptors in flight have run out
                        reason = f"a consumer cannot be announced to the peer: {error}"
                        self.connection.lose(ErrorCode.CONNECTION_RESET, reason)
                        return
                    sock = None  # the peer is gone, as the socket will report
            handshake.close_all(self._outbox.popleft().fds)
        if self._wants_room and sock is not None:
            self._wants_room = False
            self.connection.context.watch.modify(sock, select.EPOLLIN)

    # From the other side

    def hear(self, data: bytes, fds: list[int]) -> bool:
        """Take in a datagram about a consumer. False for anything else, and for news that cannot be."""
        news = News.decode(data, fds)
        if news is None:
            return False
        offer, consumer_id = news.offer, news.offer.consumer_id
        context = self.connection.context
        if news.kind == EXPIRED:
            return self._expire(consumer_id)
        most = context.dev.info.topology.most_consumers()
        if not offer.sane() or consumer_id in self.targets or len(self.targets) >= most:
            return False
        try:
            self.targets[consumer_id] = Target(offer.depth, offer.imm_max, offer.memory_size, fds)
        except by_system(DocaError, OSError) as error:
            if not isinstance(error, OSError) or error.errno not in EXHAUSTED:
                return False
            self.connection.lose(ErrorCode.CONNECTION_RESET, f"a consumer of the peer cannot be used: {error}")
            return True
        fds.pop()  # the bell is the target's now
        self._tell(context.new_consumer, consumer_id)
        return True

    def _expire(self, consumer_id: int) -> bool:
        target = self.targets.pop(consumer_id, None)
        if target is None:
            return False
        target.close()
        self._tell(self.connection.context.expired_consumer, consumer_id)
        return True

    def _tell(self, callback: Any, consumer_id: int) -> None:
        engine = self.connection.context.engine
        if callback is not None and engine is not None:
            engine.call(callback, self.connection, consumer_id)

    # The end

    def end(self) -> None:
        """Notify every context of this side that the connection has ended; the peer's consumers expire."""
        while self._outbox:
            handshake.close_all(self._outbox.popleft().fds)
        self.notify_live()
        while self.targets:
            consumer_id, target = self.targets.popitem()
            target.close()
            self._expired.append(consumer_id)

    @uninterrupted
    def report_expired(self) -> bool:
        """In progress: report the peer's consumers that ended with the connection, as many as the engine lets."""
        context, moved = self.connection.context, bool(self._expired)
        while self._expired and context.engine is not None and not context.engine.full:
            self._tell(context.expired_consumer, self._expired.pop())
        return moved

    def let_go(self) -> None:
        """In a forked child: see _kernel.fork."""
        for news in self._outbox:
            with suppress_system(OSError):
                handshake.close_all(news.fds)
        super().let_go()
