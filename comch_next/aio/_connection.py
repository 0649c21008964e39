"""A connection in an event loop, and the messages that come on it."""

from __future__ import annotations

import asyncio
import builtins
import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, NamedTuple

import comch_next as comch
from comch_next._codes import ErrorCode
from comch_next._ready import Turn
from comch_next.driver.protocol import by_system
from comch_next.errors import ConnectionReset, DocaError, NotConnected, Shutdown, TimeOut, from_code

if TYPE_CHECKING:
    from comch_next.aio._handling import Inbox
    from comch_next.aio._side import Side

__all__ = ["Connection", "Message"]

_FLUSH_TICK_S = 0.001
_CLOSED_TICK_S = 0.02  # no descriptor is ready for an end alone while messages wait
_ENDED = {
    ErrorCode.SHUTDOWN: "the other side has left",
    ErrorCode.CONNECTION_RESET: "the other side has died",
    ErrorCode.CONNECTION_ABORTED: "it never came up",
    ErrorCode.NOT_CONNECTED: "this side has left",
}


def _groups() -> tuple[type[BaseException], ...]:
    """The classes of groups of exceptions. Python 3.10 has none but that of the backport, once a program imports it."""
    places = (builtins, sys.modules.get("exceptiongroup"))
    kinds = [getattr(place, "BaseExceptionGroup", None) for place in places]
    return tuple(kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseException))


class Connection:
    """A connection on which tasks send. `connection` is that of comch_next, for counters; its user_data is in use."""

    def __init__(self, side: Side[Any], connection: comch.Connection) -> None:
        self.user_data: Any = None
        self.connection = connection
        self._side = side
        self._port: comch.PullPort = side.context._opened_port("Connection")
        self._turn = Turn()
        self._inbox: Inbox | None = None  # of a handler
        self._ended: ErrorCode | None = None  # what has ended it first, once that is known
        connection._user_data = self  # whatever it may be set to
        side._connections.add(self)

    def __repr__(self) -> str:
        return repr(self.connection)

    @property
    def in_flight(self) -> int:
        """The number of accepted messages that are not in the receiver's queue yet."""
        return self._port.in_flight(self.connection)

    @property
    def closed(self) -> bool:
        """Whether the connection has ended; messages that came before can still be received."""
        return self.reason is not None

    @property
    def reason(self) -> DocaError | None:
        """What ended it first: Shutdown if the peer left, ConnectionReset if it died, NotConnected if this side left.

        None while it is up.
        """
        if self._side._left:
            self._ended = self._ended or ErrorCode.NOT_CONNECTED
        else:
            self._note_end()
        if (code := self._ended) is None:
            return None
        return from_code(code, f"{self!r} has ended: {_ENDED[code]}", connection=self)

    def _note_end(self) -> None:
        """Keep what has ended it, if it has: an end on this side that follows is none of its own."""
        if self._ended is None and (code := self._port.status(self.connection)) in _ENDED:
            self._ended = code

    def _has_ended_by(self, error: BaseException) -> bool:
        """Whether an error only reports the end of this connection; one that has a group's members, if each does."""
        if isinstance(error, _groups()):
            return all(map(self._has_ended_by, error.exceptions))  # type: ignore[attr-defined]
        if not (isinstance(error, DocaError) and error.code in _ENDED and self.closed):
            return False
        return error.connection is self or error.connection is self.connection  # that of a Consumer, or a Stream

    async def wait_closed(self) -> None:
        """Wait until the connection has ended; then `reason` is the cause."""
        while not self.closed:
            await asyncio.sleep(_CLOSED_TICK_S)

    async def send(self, data: bytes | bytearray | memoryview) -> None:
        """Send one message; returns when it is accepted, which waits for a free place among those in flight.

        Tasks that wait for the same connection send in the order of their calls. Raises InvalidValue above the
        largest message, ConnectionReset when the peer died, Shutdown when it left, NotConnected after this side did.
        """
        side = self._side
        async with self._turn:
            while side._present("send") and not self._accepts(data):
                try:
                    await side._sendable.wait()
                except BaseException:
                    self._port.withdraw(self.connection)
                    raise

    def _accepts(self, data: bytes | bytearray | memoryview) -> bool:
        try:
            return self._port.send(self.connection, data)
        except by_system(DocaError) as error:
            self._side._convert(error)
            raise

    async def flush(self) -> None:
        """Wait until nothing is in flight, which leaving the block does not. Raises as comch.Connection.flush."""
        while self._side._present("flush"):
            try:
                return self.connection.flush(timeout=0)
            except by_system(TimeOut):
                await asyncio.sleep(_FLUSH_TICK_S)
            except by_system(DocaError) as error:
                self._side._convert(error)
                raise

    async def receive(self) -> Message:
        """Receive the next message of this connection; after the last one raise what ended it.

        On a client as Client.receive. On a server it needs a handler, else it raises BadState.
        """
        if self._inbox is not None:
            return await self._inbox.get()
        return await self._side._receive_on(self)

    def __aiter__(self) -> AsyncIterator[Message]:
        """Iterate over the messages of this connection, waiting for each, until the peer leaves or this side does."""
        return self

    async def __anext__(self) -> Message:
        try:
            return await self.receive()
        except by_system(Shutdown, NotConnected):
            raise StopAsyncIteration from None


class Message(NamedTuple):
    """A received message: its bytes, and the connection that it came on."""

    data: bytes
    connection: Connection

    async def reply(self, data: bytes | bytearray | memoryview) -> bool:
        """Send an answer on the connection of this message, as Connection.send, and return True.

        On a server, return False if that client has gone or been disconnected, so that the loop goes on.
        `Server.messages` reports its end.
        """
        try:
            await self.connection.send(data)
        except by_system(Shutdown, ConnectionReset, NotConnected):
            if not self.connection._side.context._survives(self.connection.connection):
                raise
            return False
        return True
