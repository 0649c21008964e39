"""A threaded port: what the library reports in callbacks is kept here until the program asks for it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from comch_next._codes import ErrorCode, State
from comch_next._threaded._channels import Bell
from comch_next._threaded._events import PortEvents
from comch_next._threaded._sends import COMING, UP
from comch_next.driver.protocol import NO_BUFFER, by_system, counted, quoted, uninterrupted
from comch_next.errors import BadState, ConnectionReset, InvalidValue, NotSupported, from_code

__all__ = ["ThreadedPort"]

_P = ParamSpec("_P")
_T = TypeVar("_T")
_REASONS = {
    ErrorCode.SHUTDOWN: "the other side has left",
    ErrorCode.CONNECTION_RESET: "the other side has died",
    ErrorCode.CONNECTION_ABORTED: "it never came up",
    ErrorCode.NOT_CONNECTED: "this side has left",
}


def _locked(
    call: Callable[Concatenate[ThreadedPort, _P], _T],
) -> Callable[Concatenate[ThreadedPort, _P], _T]:
    """Hold the helper's lock while the call runs."""

    @wraps(call)
    def locked(port: ThreadedPort, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        with port.helper.lock:
            return call(port, *args, **kwargs)

    return locked


class ThreadedPort(PortEvents):
    """A port of the driver protocol."""

    quick = None

    # What the puller calls

    @_locked
    def send(self, connection: Any, data: Any) -> bool:
        link = self.link(connection, "send")
        if link.ending or self._sends.full():
            self.helper.poll()
        if link.status not in (UP, COMING):
            text = f"send was attempted on a connection of {self} that has ended: {_REASONS[link.status]}"
            status = ErrorCode.CONNECTION_RESET if self._failed else link.status
            known = self.helper.driver.connections.get_user_data(connection)  # the context may be another engine's now
            raise from_code(status, text, connection=known)
        message = _as_bytes(data)
        if self._msg_size is not None and len(message) > self._msg_size and link.status == UP:
            text = f"send: a message of {counted(len(message), 'byte')} is above this port's {self._msg_size}"
            raise InvalidValue(text, length=len(message))
        if not self._sends.accept(connection, link, message):
            return False
        self.helper.turn()
        if link.in_flight == 1:
            self.helper.wake()  # it may sleep without waiting for this
        return True

    @_locked
    def withdraw(self, connection: Any) -> None:
        self._sends.forget(self.link(connection, "withdraw"))

    @_locked
    def receive(self, size: int) -> tuple[bytes, Any] | None:
        if not isinstance(size, int) or size < 0:
            raise InvalidValue(f"receive takes a size of 0 or more bytes, not {quoted(size)}")
        self._channels.refuse_closed()
        if not self.queue:
            self.helper.poll()
        if self.lost:
            self._report_loss()
        return self._take(size)

    @uninterrupted
    def _report_loss(self) -> None:
        """Raise for one lost connection whose messages have all been pulled: others' may never run dry."""
        for link in self.lost:
            if not link.queued:
                self.lost.remove(link)
                connection = link.connection
                self._drop(link)
                text = f"receive: a connection of {self} has ended: {_REASONS[link.status]}"
                raise from_code(link.status, text, connection=connection)

    def _take(self, size: int) -> tuple[bytes, Any] | None:
        while self.queue:
            data, link = oldest = self.queue[0]
            if len(data) > size:
                text = f"receive: a message of {counted(len(data), 'byte')} waits, room is for {size}"
                raise InvalidValue(text, length=len(data))
            if len(self.queue) == self._most:
                self.helper.wake()  # there is room again
            # No call, and so no handler of a signal, comes between this question and the last line.
            if self.queue and self.queue[0] is oldest:  # else a handler has just received it
                link.queued -= 1
                self.queue.popleft()
                return data, link.connection
        return None

    @_locked
    def accept(self, greet: Callable[[Any], _T]) -> _T | None:
        """Take the oldest connection that has come up by itself."""
        self._channels.refuse_closed()
        if not self.arrived and not self._broken:
            self.helper.poll()
        link = self.arrived.pop(0) if self.arrived else None
        if not self.arrived:
            self._channels.forget_news()
        if link is None and self._broken:
            self._broken -= 1
            raise ConnectionReset("accept: the handshake broke")
        return None if link is None or link.connection is None else greet(link.connection._handle)

    @_locked
    def get_connections(self) -> list[Any]:
        self._channels.refuse_closed()
        self.helper.poll()
        return [link.connection for link in self._live if link.status == UP]

    @_locked
    def get_status(self, connection: Any) -> ErrorCode:
        self.helper.poll()
        return self.link(connection, "status").status

    @_locked
    def get_in_flight(self, connection: Any) -> int:
        link = self.link(connection, "in_flight")
        if link.in_flight:
            self.helper.turn()
        self._sends.note()
        return link.in_flight if link.status == UP else 0

    @_locked
    def get_undelivered(self, connection: Any) -> int:
        link = self.link(connection, "failed")
        if link.in_flight and link.status != UP:
            self.helper.turn()
        return link.failed

    @_locked
    def get_pending(self) -> int:
        self._channels.refuse_closed()
        return 0

    @_locked
    def get_max_msg_size(self, connection: Any) -> int:
        return self.link(connection, "get_max_msg_size").most

    # Descriptors. The program sleeps after arming, so nothing that was raised may be kept for its next call.

    def bell(self, channel: str) -> Bell:
        """The descriptor for send, recv or service, made when first asked for."""
        if channel == "service" and self._is_client:
            raise NotSupported(f"{self} has no service channel; a server has")
        return self._channels.bell(channel)

    @_locked
    def get_fd(self, channel: str) -> int:
        return self.bell(channel).fd

    @_locked
    def arm_send(self) -> None:
        """Be ready when a send in flight has ended, or one that was answered AGAIN may be tried again."""
        bell = self.bell("send")
        bell.arm()
        self.helper.poll()
        if self._sends.take_news():
            bell.ring()

    @_locked
    def arm_recv(self) -> None:
        """Be ready when a message, a new client or a loss is there."""
        bell = self.bell("recv")
        bell.arm()
        self.helper.poll()
        lost = not all(map(self._is_silent, self.lost))
        if self._channels.take_news("recv") or self.queue or lost or self._failed:
            bell.ring()

    @_locked
    def arm_service(self) -> None:
        """Be ready when a client comes, goes, or the service fails."""
        bell = self.bell("service")
        self.helper.turn()  # what has been before is no news
        bell.arm()
        self.helper.poll()
        if self._channels.take_news("service") or self._failed:
            bell.ring()

    @_locked
    def ring_recv(self) -> None:
        self._channels.ring("recv")

    # The end

    def close(self) -> None:
        """Give everything back and end the thread; the context must be IDLE."""
        with self.helper.lock:
            state = self._driver.contexts.get_state(self.handle)
            if state is not State.IDLE:
                raise BadState(f"close was attempted on the port of {self} while {state.name}; legal while IDLE")
            self._context._outdated = True  # the library forgets no callback, but it makes another context
        self.finish()

    def finish(self) -> None:
        """Give the port up: its context has gone, or closes it. Idempotent."""
        self.helper.leave(self)
        with self.helper.lock:
            self.queue.clear()
            self.lost.clear()
            self._channels.close()


def _as_bytes(data: Any) -> bytes:
    if type(data) is bytes:
        return data
    try:
        return bytes(memoryview(data))
    except by_system(*NO_BUFFER):
        raise InvalidValue(f"send takes a bytes-like message, not {quoted(data)}") from None
