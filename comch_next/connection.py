"""A connection between one client and one server (guide: Comch, connections and counters)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from comch_next._codes import Counter, ErrorCode
from comch_next._names import CNames, Strict, spelled
from comch_next.driver.protocol import counted
from comch_next.engine import deadline_after, seconds_left, wait_readable
from comch_next.errors import Again, ConnectionReset, NotConnected, Shutdown, TimeOut, from_code

if TYPE_CHECKING:
    from comch_next._control import ControlContext
    from comch_next.client import Client
    from comch_next.driver import protocol
    from comch_next.server import Server

__all__ = ["Connection", "Message"]

FLUSH_TICK_S = 0.0005


@spelled
class Connection(CNames, Strict):
    """A connection between a client and its server (C: struct doca_comch_connection).

    The library makes it: a client has one, a server has one for each client.
    """

    _link: Any = None  # of a one-sided context: the life that it belongs to
    _late_bytes: int | None = None  # of the send that a one-sided context accepted after the peer had left
    _control_id: int = 0  # the other side's control consumer, its first one, and all that live: see _stream_link
    _consumers: frozenset[int] = frozenset()
    _link_of_stream: Any = None

    def __init__(self, context: ControlContext, handle: protocol.Connection) -> None:
        self._user_data: Any = None
        self._context = context
        self._connections = context._driver.connections
        self._handle = handle
        self._connections.set_user_data(handle, self)
        if context._port is not None:
            context._port._take_up(self)

    def __repr__(self) -> str:
        return f"<Connection of {self._context!r}>"

    @property
    def user_data(self) -> Any:
        """The program's own object for it; on a one-sided context a number of up to 64 bits, 0 until set."""
        return self._user_data

    @user_data.setter
    def user_data(self, user_data: Any) -> None:
        self._user_data = user_data

    @property
    def server(self) -> Server | None:
        """The server of this connection; None on a client (C: doca_comch_server_get_server_ctx)."""
        handle = self._connections.get_server(self._handle)
        return None if handle is None else self._context  # type: ignore[return-value]

    @property
    def client(self) -> Client | None:
        """The client of this connection; None on a server (C: doca_comch_client_get_client_ctx)."""
        handle = self._connections.get_client(self._handle)
        return None if handle is None else self._context  # type: ignore[return-value]

    def update_info(self) -> None:
        """Snapshot the counters. Raises ConnectionInprogress or ConnectionAborted unless the connection is up."""
        if (port := self._context._port) is not None:
            port.update_info(self)
        else:
            self._connections.update_info(self._handle)

    def get_counter(self, counter: Counter) -> int:
        """Return a counter of the last snapshot: messages, or bytes."""
        count = self._connections.get_counter(self._handle, counter)
        if self._late_bytes is not None:
            count += {Counter.SENT_MESSAGES: 1, Counter.SENT_BYTES: self._late_bytes}.get(counter, 0)
        return count

    @property
    def in_flight(self) -> int:
        """The number of accepted messages that are not in the receiver's queue yet."""
        return self._context._opened_port("in_flight").in_flight(self)

    def send(self, data: bytes | bytearray | memoryview, timeout: float | None = None) -> None:
        """Send one message and return when it is accepted; wait only while the send queue is full.

        timeout: seconds; None waits for ever, 0 raises Again instead of waiting, otherwise TimeOut is raised.
        Raises InvalidValue above the largest message or for an invalid timeout, ConnectionReset when the peer died or
        the server has failed, Shutdown when the peer left, NotConnected after this side disconnected.
        """
        deadline = deadline_after(timeout, "send")
        if (port := self._context._port) is None:
            port = self._context._opened_port("send")
        if not port.send(self, data):
            self._send_later(data, timeout, deadline)

    def _send_later(self, data: bytes | bytearray | memoryview, timeout: float | None, deadline: float | None) -> None:
        port = self._context._opened_port("send")
        if timeout == 0:
            raise Again("send: the queue is full, or the connection is not up yet")
        while not port.send(self, data):
            if not seconds_left(deadline):  # others' sends may keep the descriptor ready
                port.withdraw(self)
                raise TimeOut(f"send: no room within {timeout} s; the message was not accepted")
            port.arm_send()
            wait_readable(lambda: port.send_fd, deadline, once=True)  # another sender's arming may take the news

    def flush(self, timeout: float | None = None) -> None:
        """Wait until nothing is in flight. Raises TimeOut after `timeout` seconds, InvalidValue for an invalid one.

        If accepted messages did not arrive, raises the error that ended the connection, as `send` does, or IoFailed
        while it is up.
        """
        deadline = deadline_after(timeout, "flush")
        port = self._context._opened_port("flush")
        while left := port.in_flight(self):
            if port.status(self) != ErrorCode.SUCCESS:
                break
            if not (pause := seconds_left(deadline, FLUSH_TICK_S)):
                raise TimeOut(f"flush: {counted(left, 'message')} still in flight after {timeout} s")
            time.sleep(pause)
        if lost := port.failed(self):
            what = counted(lost, "message that was", "messages that were")
            ended = port.status(self)
            text = f"flush: {what} accepted did not arrive{' before the connection ended' if ended else ''}"
            raise from_code(ended or ErrorCode.IO_FAILED, text, connection=self)


class Message(NamedTuple):
    """A received message: its bytes, and the connection that it came on."""

    data: bytes
    connection: Connection

    def reply(self, data: bytes | bytearray | memoryview, timeout: float | None = None) -> bool:
        """Send an answer on the connection of this message, as Connection.send, and return True.

        On a server, return False if that client has gone or been disconnected, so that the loop goes on.
        `Server.messages` reports its end.
        """
        try:
            self.connection.send(data, timeout)
        except (Shutdown, ConnectionReset, NotConnected):
            if not self.connection._context._survives(self.connection):
                raise
            return False
        return True
