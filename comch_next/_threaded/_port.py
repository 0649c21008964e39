"""A threaded port: what the library tells in callbacks is kept here until the program asks for it."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from comch_next._codes import ErrorCode, State
from comch_next._threaded._channels import Bell, Channels
from comch_next._threaded._sends import COMING, UP, Link, Sends
from comch_next.errors import BadState, ConnectionReset, DocaError, InvalidValue, NotSupported, from_code

if TYPE_CHECKING:
    from comch_next._control import ControlContext
    from comch_next._threaded._helper import Helper
    from comch_next.connection import Connection

__all__ = ["Port"]

_ANY_SIZE = 1 << 32
_REASONS = {
    ErrorCode.SHUTDOWN: "the other side has left",
    ErrorCode.CONNECTION_RESET: "the other side has died",
    ErrorCode.CONNECTION_ABORTED: "it never came up",
    ErrorCode.NOT_CONNECTED: "this side has left",
}


class Port:
    """A handle. Everything here runs under the helper's lock, but for `finish`."""

    def __init__(
        self,
        context: ControlContext,
        helper: Helper,
        msg_size: int | None,
        sends: int,
        one_sided: bool,
        predecessor: Port | None = None,
    ) -> None:
        self.handle = context._handle
        self.state_changed: Any = context._state_changed_cb  # the program's
        self.begun: Any = None  # a client's connection, until this side stops
        self.queue: deque[tuple[bytes, Link]] = deque()
        self.lost: list[Link] = []
        self.arrived: list[Link] = []  # for accept
        self.helper = helper
        self._context = context
        self._driver = helper.driver
        self._is_client = not context._is_server
        self._links: WeakKeyDictionary[Any, Link] = WeakKeyDictionary() if predecessor is None else predecessor._links
        self._live: dict[Link, None] = {}  # in the order of their coming
        self._one_sided = one_sided
        self._failed = False  # a server that nobody finds any more
        self._broken = 0  # handshakes, for accept
        self._msg_size = msg_size
        self._most = 1  # messages that hold progress back
        self._leaving = False
        self._channels = Channels() if predecessor is None else predecessor.hand_over()
        # What start demands, and the state; a context that is not IDLE refuses.
        driver, handle = helper.driver, self.handle
        freed = partial(self._channels.ring, "send")
        self._sends = Sends(driver, handle, sends, is_client=self._is_client, freed=freed, fault=self._on_fault)
        driver.contexts.event_msg_recv_register(handle, self._on_message, False)
        if not self._is_client:
            driver.servers.event_connection_status_changed_register(handle, self._on_up, self._on_down)
        driver.contexts.set_state_changed_cb(handle, self._on_state)

    def __str__(self) -> str:
        return f"{'client' if self._is_client else 'server'} {self._context.name!r}"

    def full(self) -> bool:
        """Whether progress has to wait for `receive`."""
        return len(self.queue) >= self._most

    def link(self, connection: Any, call: str) -> Link:
        """What is known of a connection of this port."""
        link = self._known(connection)
        if link is None:
            raise InvalidValue(f"{call} takes a connection of {self}, not {connection!r}")
        return link

    def _known(self, connection: Any) -> Link | None:
        try:
            return self._links.get(connection)
        except TypeError:  # no handle at all
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
        if self._is_client:
            while self.lost:  # what became of former connections is no news any more
                self._leave(self.lost.pop())
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
                for link in list(self._live):
                    self._leave(link)
            else:
                self._leaving = before

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
        with suppress(ValueError):
            self.arrived.remove(link)

    # What the library calls

    def _on_message(self, connection: Connection, data: bytes) -> None:
        link = self._links.get(connection._handle)
        if link is not None and link.connection is not None:
            link.queued += 1
            self.queue.append((data, link))
            self._channels.ring("recv")

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
        elif new is State.STOPPING and not self._leaving:  # nobody finds it any more: it has left everybody
            self._failed = True
            for link in list(self._live):
                self._leave(link)
            self._channels.ring("send", "recv", "service")
        if self.state_changed is not None:
            self.state_changed(context, old, new)

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
        """A client's connection has gone: the next send that fails says how."""
        link.status = ErrorCode.CONNECTION_RESET
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
        self._end(link, ErrorCode.SHUTDOWN if why == ErrorCode.SHUTDOWN else ErrorCode.CONNECTION_RESET)

    def _end(self, link: Link, status: ErrorCode) -> None:
        link.status, link.ending = status, False
        self._live.pop(link, None)
        if status == ErrorCode.CONNECTION_ABORTED and not self._one_sided:
            self._drop(link)  # its status says so, and nothing else
        else:
            self.lost.append(link)
        self._channels.ring(*(() if self._keeps_quiet(link) else ("send", "recv")), "service")

    def _keeps_quiet(self, link: Link) -> bool:
        """Whether sender and receiver of a one-sided port do not hear of this end."""
        return self._one_sided and link.status is ErrorCode.SHUTDOWN and not (link.failed or link.in_flight)

    # What the puller calls

    def send(self, connection: Any, data: Any) -> bool:
        """See PullPort.send."""
        link = self.link(connection, "send")
        if link.ending or self._sends.full():
            self.helper.look()
        if link.status not in (UP, COMING):
            text = f"send was attempted on a connection of {self} that has ended: {_REASONS[link.status]}"
            status = ErrorCode.CONNECTION_RESET if self._failed else link.status
            raise from_code(status, text, connection=self._context._connection(connection))
        message = _as_bytes(data)
        if self._msg_size is not None and len(message) > self._msg_size and link.status == UP:
            text = f"send: a message of {len(message)} bytes is above this port's {self._msg_size}"
            raise InvalidValue(text, length=len(message))
        if not self._sends.accept(connection, link, message):
            return False
        self.helper.turn()
        if link.in_flight == 1:
            self.helper.wake()  # it may sleep without waiting for this
        return True

    def withdraw(self, connection: Any) -> None:
        """See PullPort.withdraw."""
        self._sends.forget(self.link(connection, "withdraw"))

    def receive(self, size: int) -> tuple[bytes, Any] | None:
        """See PullPort.receive."""
        if not isinstance(size, int) or size < 0:
            raise InvalidValue(f"receive takes a size of 0 or more bytes, not {size!r}")
        if not self.queue:
            self.helper.look()
        if self.lost:
            self._report_loss()
        return self._take(size) if self.queue else None

    def _report_loss(self) -> None:
        """Raise for one lost connection whose messages have all been pulled: others' may never run dry."""
        for link in self.lost:
            if not link.queued:
                self.lost.remove(link)
                connection = link.connection
                self._drop(link)
                text = f"receive: a connection of {self} has ended: {_REASONS[link.status]}"
                raise from_code(link.status, text, connection=connection)

    def _take(self, size: int) -> tuple[bytes, Any]:
        data, link = self.queue[0]
        if len(data) > size:
            text = f"receive: a message of {len(data)} bytes waits, room is for {size}"
            raise InvalidValue(text, length=len(data))
        if len(self.queue) == self._most:
            self.helper.wake()  # there is room again
        self.queue.popleft()
        link.queued -= 1
        return data, link.connection

    def accept(self) -> Any:
        """See PullPort.accept: a connection that has come up by itself."""
        if not self.arrived and not self._broken:
            self.helper.look()
        link = self.arrived.pop(0) if self.arrived else None
        if not self.arrived:
            self._channels.forget_news()
        if link is None and self._broken:
            self._broken -= 1
            raise ConnectionReset("accept: the handshake broke")
        return None if link is None or link.connection is None else link.connection._handle

    def connections(self) -> list[Any]:
        """See PullPort.connections."""
        self.helper.look()
        return [link.connection for link in self._live if link.status == UP]

    def status(self, connection: Any) -> ErrorCode:
        """See PullPort.status."""
        self.helper.look()
        return self.link(connection, "status").status

    def in_flight(self, connection: Any) -> int:
        """See PullPort.in_flight."""
        link = self.link(connection, "in_flight")
        if link.in_flight:
            self.helper.turn()
        self._sends.note()
        return link.in_flight if link.status == UP else 0

    def failed(self, connection: Any) -> int:
        """See PullPort.failed."""
        link = self.link(connection, "failed")
        if link.in_flight and link.status != UP:
            self.helper.turn()
        return link.failed

    # Descriptors. The program sleeps after arming, so nothing that was raised may be kept for its next call.

    def bell(self, channel: str) -> Bell:
        """The descriptor for send, recv or service, made when first asked for."""
        if channel == "service" and self._is_client:
            raise NotSupported(f"{self} has no service channel; a server has")
        return self._channels.bell(channel)

    def arm_send(self) -> None:
        """Be ready when a send in flight has ended, or one that was answered AGAIN may be tried again."""
        bell = self.bell("send")
        bell.arm()
        self.helper.look()
        if self._sends.take_news():
            bell.ring()

    def arm_recv(self) -> None:
        """Be ready when a message, a new client or a loss is there."""
        bell = self.bell("recv")
        bell.arm()
        self.helper.look()
        lost = not all(map(self._keeps_quiet, self.lost))
        if self._channels.take_news("recv") or self.queue or lost or self._failed:
            bell.ring()

    def arm_service(self) -> None:
        """Be ready when a client comes, goes, or the service fails."""
        bell = self.bell("service")
        self.helper.turn()  # what has been before is no news
        bell.arm()
        self.helper.look()
        if self._channels.take_news("service") or self._failed:
            bell.ring()

    def ring_recv(self) -> None:
        """See PullPort.ring_recv."""
        self._channels.ring("recv")

    # The end

    def hand_over(self) -> Channels:
        """Leave the descriptors to another port."""
        channels, self._channels = self._channels, Channels()
        return channels

    def close(self) -> None:
        """Give everything back and end the thread; the context must be IDLE."""
        with self.helper.lock:
            contexts = self._driver.contexts
            state = contexts.get_state(self.handle)
            if state is not State.IDLE:
                raise BadState(f"close was attempted on the port of {self} while {state.name}; legal while IDLE")
            contexts.set_state_changed_cb(self.handle, self.state_changed or _ignore)
        self.finish()

    def finish(self) -> None:
        """The context is gone, or gives up its port; harmless when done before."""
        self.helper.leave(self)
        with self.helper.lock:
            self.queue.clear()
            self.lost.clear()
            self._channels.close()


def _ignore(*_: object) -> None:
    """A callback for nobody."""


def _as_bytes(data: Any) -> bytes:
    if type(data) is bytes:
        return data
    try:
        return bytes(memoryview(data))
    except TypeError:
        raise InvalidValue(f"send takes a bytes-like message, not {data!r}") from None
