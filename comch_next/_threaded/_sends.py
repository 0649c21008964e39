"""The sends of a threaded port: tasks from its context's pool, each given back when it completes."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from comch_next._codes import ErrorCode
from comch_next.driver.protocol import Own, Unrecorded, uninterrupted
from comch_next.errors import BadState, NoMemory

if TYPE_CHECKING:
    from comch_next.connection import Connection
    from comch_next.driver.protocol import Driver

__all__ = ["COMING", "UP", "Link", "Sends"]

UP, COMING = ErrorCode.SUCCESS, ErrorCode.CONNECTION_INPROGRESS


class Link:
    """What is known of a connection. `connection` is dropped when its end has been reported."""

    def __init__(self, connection: Connection | None, status: ErrorCode) -> None:
        self.connection = connection
        self.status = status
        self.most = 0  # bytes of the largest message, once it has been up
        self.queued = 0  # messages of its own in the port's queue
        self.in_flight = 0
        self.failed = 0
        self.fault: ErrorCode | None = None  # how its first failed send failed
        self.ending = False  # lost, and waiting for a send to fail with a reason
        self.probes: Link | None = None  # the lost link, when this stands for the send that is to fail


class _Flight(NamedTuple):
    """A submitted task, and whose it is."""

    task: Any
    link: Link


class _Probe(_Flight, Unrecorded):
    """One that the program has not sent."""


class Sends:
    """`freed` is called when a task is back in the pool, `fault` when one has failed: (link, how).

    `awaited` is called when the program asks for sends in flight, for the first time since one has ended.
    """

    def __init__(
        self,
        driver: Driver,
        context: Any,
        depth: int,
        *,
        is_client: bool,
        freed: Callable[[], None],
        fault: Callable[[Link, ErrorCode], None],
        awaited: Callable[[], None],
    ) -> None:
        self._tasks = driver.send_tasks
        self._alloc = (driver.clients if is_client else driver.servers).task_send_alloc_init
        self._context = context
        self._depth = depth
        self._out = 0
        self._ended = self._known = 0  # sends that have ended, and as far as the program knows
        self._blocked: set[Link] = set()  # those whose send was answered AGAIN
        self._freed = freed
        self._fault = fault
        self._on_awaited = awaited
        self.awaited = False  # whether the program waits for one in flight to end
        driver.contexts.task_send_set_conf(context, Own(self._on_done), Own(self._on_failed), depth)

    def full(self) -> bool:
        """Whether the pool has no task left."""
        return self._out >= self._depth

    def accept(self, connection: Any, link: Link, message: bytes) -> bool:
        """Submit a message. False when it has to be sent again later, which `take_news` is then about."""
        if link.status == UP and not link.ending and not self.full():
            try:
                self.submit(connection, link, message)
                return True
            except NoMemory:
                pass
        self._blocked.add(link)
        self.note()
        return False

    @uninterrupted
    def submit(self, connection: Any, link: Link, message: bytes) -> None:
        """Submit a message, or raise what the library refuses it with."""
        task = self._alloc(self._context, connection, message)
        try:
            self._tasks.set_user_data(task, (_Probe if link.probes else _Flight)(task, link))
            self._tasks.submit(task)
        except BaseException:
            with suppress(BadState):  # the library may have taken it before it failed
                self._tasks.free(task)
            raise
        self._out += 1
        link.in_flight += 1

    def note(self) -> None:
        """Note that the program knows of all that has ended, and waits for the others."""
        self._known = self._ended
        if self._out and not self.awaited:
            self._on_awaited()
            self.awaited = True  # last: after an interrupt the next call does it again

    def take_news(self) -> bool:
        """Whether a send has ended, or one that was refused may be tried again, since the program last knew."""
        free = {link for link in self._blocked if not self._waits(link)}
        self._blocked -= free
        news = bool(free) or self._ended > self._known
        self.note()
        return news

    def _waits(self, link: Link) -> bool:
        return link.status == COMING or (link.status == UP and (link.ending or self.full()))

    def forget(self, link: Link) -> None:
        """It waits for nothing any more: its connection has ended, or its send is given up."""
        self._blocked.discard(link)

    def _on_done(self, flight: _Flight) -> None:
        self._out -= 1
        self._ended += 1
        self.awaited = False
        flight.link.in_flight -= 1
        self._tasks.free(flight.task)
        self._freed()

    def _on_failed(self, flight: _Flight) -> None:
        status, link = self._tasks.get_status(flight.task), flight.link
        self._on_done(flight)
        link.failed += 1
        self._fault(link.probes or link, status)
