"""What happens to a threaded port: the library's callbacks, and what the program does to its context."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from comch_next._codes import ErrorCode, State
from comch_next._threaded._channels import Channels
from comch_next._threaded._sends import COMING, UP, Link, Sends
from comch_next.driver.protocol import Own, WeakTable, by_system, has_ended, interruptible, quoted, suppress_system
from comch_next.errors import DocaError, InvalidValue

if TYPE_CHECKING:
    from comch_next._control import ControlContext
    from comch_next._threaded._helper import Helper
    from comch_next.connection import Connection

__all__ = ["PortEvents"]

_ANY_SIZE = 1 << 32
_AT_ONCE = 1024  # messages that do not slow progress down while the program waits for it
_PACE_S = 0.01  # between one progress and the next with that many; four times as much with twice as many


class PortEvents:
    """The state of a port: its connections and what came on them. Everything here runs under the helper's lock."""

    def __init__(
        self,
        context: ControlContext,
        helper: Helper,
        msg_size: int | None,
        sends: int,
        one_sided: bool,
        predecessor: PortEvents | None = None,
    ) -> None:
        self.handle = context._handle
        self.state_changed: Any = context._state_changed_cb  # the program's
        self.begun: Any = None  # a client's connection, until this side stops
        self.queue: deque[tuple[bytes, Link]] = deque()
        self.lost: list[Link] = []
        self.arrived: list[Link] = []  # for accept
        self.dropped: object = None  # the helper's, while the port is open
        self.helper = helper
        self._context = context
        self._driver = helper.driver
        self._is_client = not context._is_server
        self._links: WeakTable[Any, Link] = WeakTable() if predecessor is None else predecessor._links
        self._live: dict[Link, None] = {}  # in the order of their coming
        self._one_sided = one_sided
        self._failed = False  # a server whose socket file is gone or replaced
        self._broken = 0  # handshakes, for accept
        self._msg_size = msg_size
        self._most = 1  # messages that hold progress back
        self._leaving = False
        self._channels = Channels()
        # What start demands, and the state; a context that is not IDLE refuses.
        driver, handle = helper.driver, self.handle
        self._sends = Sends(
            driver,
            handle,
            sends,
            is_client=self._is_client,
            freed=self._on_freed,
            fault=self._on_fault,
            awaited=helper.wake,  # its thread may take more now
        )
        driver.contexts.event_msg_recv_register(handle, Own(self._on_message), False)
        if not self._is_client:
            driver.servers.event_connection_status_changed_register(handle, Own(self._on_up), Own(self._on_down))
        driver.contexts.set_state_changed_cb(handle, Own(self._on_state))

    def __str__(self) -> str:
        return f"{'client' if self._is_client else 'server'} {self._context.name!r}"

    def take_over(self, predecessor: PortEvents) -> None:
        """Make the descriptors that another port gave out this one's."""
        self._channels, predecessor._channels = predecessor._channels, Channels()

    def is_full(self) -> bool:
        """Whether there are as many messages as the program wants to have waiting."""
        return len(self.queue) >= self._most

    def awaits_sends(self) -> bool:
        """Whether the program waits for one of its sends to end."""
        return self._sends.awaited

    def pace(self) -> float:
        """Seconds that must pass between one progress and the next when the program waits for it, not for messages.

        Those that come all the same slow it down more and more.
        """
        load = len(self.queue) / max(self._most, _AT_ONCE)
        return 0.0 if load < 1 else _PACE_S * load**2

    def link(self, connection: Any, call: str) -> Link:
        """What is known of a connection of this port."""
        link = self._known(connection)
        if link is None:
            raise InvalidValue(f"{call} takes a connection of {self}, not {quoted(connection)}")
        return link

    def _known(self, connection: Any) -> Link | None:
        try:
            return self._links.get(connection)
        except by_system(TypeError):  # no handle at all
            return None

    def _add(self, connection: Any, status: ErrorCode) -> Link:
        link = self._links[connection] = Link(self._context._connection(connection), status)
        self._live[link] = None
        return link

    def _came_up(self, link: Link) -> Link:
        """Note the largest message while the library knows it."""
        link.most = min(self._driver.contexts.get_max_msg_size(self.handle), self._msg_size or _ANY_SIZE)
        return link

    # What the program does to the context

    def started(self) -> None:
        """The configuration is fixed, and a client has a connection."""
        self._leaving = self._failed = False
        self._most = self._driver.contexts.get_recv_queue_size(self.handle)
        self._leave_all()  # what became of former connections is no news any more
        if self._is_client:
            self.begun = self._driver.clients.get_connection(self.handle)
            self._add(self.begun, COMING)

    def stop(self) -> State:
        """Leave every connection: what they have left to read is dropped."""
        contexts, before = self._driver.contexts, self._leaving
        self._leaving = True
        try:
            return contexts.stop(self.handle)
        finally:  # a callback of the program may have raised, and the context stops all the same
            if contexts.get_state(self.handle) in (State.IDLE, State.STOPPING):
                self.begun = None
                self._leave_all()
            else:
                self._leaving = before

    def _leave_all(self) -> None:
        """Leave every connection, and forget those that have been lost and handshakes that broke."""
        for link in [*self._live, *self.lost]:
            self._leave(link)
        self.lost.clear()
        self._broken = 0
        self._channels.forget_news()

    def disconnected(self, connection: Any) -> None:
        """This side has left one connection."""
        link = self._known(connection)
        if link is not None:
            self._leave(link)

    def forget_lost(self, connection: Any) -> bool:
        """Drop what a lost connection has left to read, and its report. Whether it is one that its peer has ended."""
        link = self._known(connection)
        if link is None or link.status not in (ErrorCode.SHUTDOWN, ErrorCode.CONNECTION_RESET):
            return False
        if link in self.lost:
            self.lost.remove(link)
        self._leave(link)
        return True

    def _leave(self, link: Link) -> None:
        link.status, link.ending = ErrorCode.NOT_CONNECTED, False
        if link.queued:
            self.queue = deque(waiting for waiting in self.queue if waiting[1] is not link)
            link.queued = 0
        self._drop(link)

    def _drop(self, link: Link) -> None:
        link.connection = None
        self._live.pop(link, None)
        self._sends.forget(link)
        with suppress_system(ValueError):
            self.arrived.remove(link)

    # What the library calls

    def _on_message(self, connection: Connection, data: bytes) -> None:
        link = self._links.get(connection._handle)
        if link is not None and link.connection is not None:
            link.queued += 1
            self.queue.append((data, link))
            self._channels.ring("recv")

    def _on_freed(self) -> None:
        self._channels.ring("send")

    def _on_fault(self, link: Link, status: ErrorCode) -> None:
        link.fault = link.fault or status
        if link.ending:
            self._lose(link, status)
        elif link in self.lost:
            self._channels.ring("recv")

    def _on_up(self, connection: Any, ok: bool) -> None:
        if ok:
            self.arrived.append(self._came_up(self._add(connection, UP)))
        else:
            self._broken += 1
        self._channels.ring_for_client()

    def _on_down(self, connection: Any, ok: bool) -> None:
        link = self._known(connection)
        if link is not None and link in self._live:
            self._lose(link, ErrorCode.SHUTDOWN if ok else ErrorCode.CONNECTION_RESET)

    def _on_state(self, context: Any, old: State, new: State) -> None:
        if self._is_client:
            self._client_moved(old, new)
        elif new is State.STOPPING and not self._leaving:  # its socket file is gone: it has left every client
            self._failed = True
            for link in list(self._live):
                self._leave(link)
            self._channels.ring("send", "recv", "service")
        if self.state_changed is not None:
            interruptible(self.state_changed, context, old, new)

    def _client_moved(self, old: State, new: State) -> None:
        link = None if self.begun is None else self._known(self.begun)
        if link is None or link not in self._live or self._leaving:
            return
        if new is State.RUNNING:
            link.status = UP
            self._came_up(link)
            self._channels.ring("send", "recv")
        elif new is State.STOPPING:
            self._ask_why(link)
        elif old is State.STARTING:
            self._end(link, ErrorCode.CONNECTION_ABORTED)
        else:
            self._lose(link, link.fault)

    def _ask_why(self, link: Link) -> None:
        """Find out how a client's connection has ended, up till then: the next send that fails has the code."""
        link.ending = True
        if link.fault is not None:
            self._lose(link, link.fault)
        elif not link.in_flight:
            probe = Link(None, link.status)
            probe.probes = link
            try:
                self._sends.submit(self.begun, probe, b"\0")
            except DocaError:
                self._lose(link, None)

    def _lose(self, link: Link, why: ErrorCode | None) -> None:
        if has_ended() and not self._one_sided:
            why = ErrorCode.NOT_CONNECTED
        self._end(link, why if why in (ErrorCode.SHUTDOWN, ErrorCode.NOT_CONNECTED) else ErrorCode.CONNECTION_RESET)

    def _end(self, link: Link, status: ErrorCode) -> None:
        link.status, link.ending = status, False
        self._live.pop(link, None)
        if status == ErrorCode.CONNECTION_ABORTED and not self._one_sided:
            self._drop(link)  # its status reports it, and nothing else
        else:
            self.lost.append(link)
        self._channels.ring(*(() if self._is_silent(link) else ("send", "recv")), "service")

    def _is_silent(self, link: Link) -> bool:
        """Whether sender and receiver of a one-sided port do not hear of this end."""
        return self._one_sided and link.status is ErrorCode.SHUTDOWN and not (link.failed or link.in_flight)
