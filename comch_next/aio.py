"""asyncio on the modern API: the conveniences of Client and Server, for tasks of one event loop, without a thread.

    async with aio.connect(device, "svc") as client:
        await client.send(b"hello")
        message = await client.receive()

Time-outs are the program's own: `asyncio.timeout`, `asyncio.wait_for`. What is cancelled has had no effect: a receive
has taken nothing, a send has sent nothing, a connect leaves nothing behind. Errors are those of comch_next. The loop
must have `add_reader`, else NotSupported is raised. With COMCH_PULL=threaded a helper thread works below, as ever.
Guide: DOCA Core, Progress Engine and event-driven notification; Comch, Client and Server.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar

import comch_next as comch
from comch_next._codes import State
from comch_next._exits import note
from comch_next._ready import Ready, Turn
from comch_next.engine import deadline_after
from comch_next.errors import (
    Again,
    BadState,
    ConnectionReset,
    DocaError,
    InvalidValue,
    NotConnected,
    Shutdown,
    TimeOut,
)

if TYPE_CHECKING:
    pass

__all__ = ["Client", "Connection", "Message", "Server", "connect", "serve"]

_C = TypeVar("_C", comch.Client, comch.Server)
OnLost = Callable[["Connection", DocaError], object]
_REDIAL_S = 0.05  # a server whose backlog is full is dialled again this often
_TICK_S = 0.05  # no event ends a stop: progress at least this often
_FLUSH_TICK_S = 0.001


def _nothing(*_: object) -> None:
    """The callback of a program that asks for none."""


@asynccontextmanager
async def connect(
    device: comch.Device,
    name: str,
    *,
    timeout: float | None = 5.0,
    max_msg_size: int | None = None,
    recv_queue_size: int | None = None,
    send_queue_size: int | None = None,
) -> AsyncIterator[Client]:
    """A client that is up within the block; leaving it stops the context and waits for IDLE. Sizes as comch.Client.

    timeout: seconds; None waits for ever. Raises ConnectionAborted when no server listens or it refuses, TimeOut when
    it has not accepted in time, InvalidValue if the timeout is negative or not a number.
    """
    context = comch.Client(
        device,
        name,
        max_msg_size=max_msg_size,
        recv_queue_size=recv_queue_size,
        send_queue_size=send_queue_size,
    )
    client = Client(context)
    async with _closing(client):
        await client._come_up(timeout)
        yield client


@asynccontextmanager
async def serve(
    device: comch.Device,
    rep: comch.Representor | str,
    name: str,
    *,
    max_msg_size: int | None = None,
    recv_queue_size: int | None = None,
    send_queue_size: int | None = None,
) -> AsyncIterator[Server]:
    """A server that listens within the block; leaving it disconnects all and waits for IDLE. Sizes as comch.Server.

    Raises AlreadyExist when the name is taken, and what `Server.start` raises.
    """
    context = comch.Server(
        device,
        rep,
        name,
        max_msg_size=max_msg_size,
        recv_queue_size=recv_queue_size,
        send_queue_size=send_queue_size,
    )
    server = Server(context)
    async with _closing(server):
        context.listen()
        yield server


@asynccontextmanager
async def _closing(side: _Side[Any]) -> AsyncIterator[None]:
    """Leave at the end of the block, whose own exception wins over what leaving raises."""
    try:
        yield
    except BaseException as error:
        try:
            await side._leave()
        except Exception as failure:
            note(error, failure)
        raise
    else:
        await side._leave()


class Connection:
    """A connection that tasks send on. `connection` is the one below, for its counters; its user_data is taken."""

    def __init__(self, side: _Side[Any], connection: comch.Connection) -> None:
        self.user_data: Any = None
        self.connection = connection
        self._side = side
        self._port: comch.PullPort = side.context._opened_port("Connection")
        self._turn = Turn()
        connection._user_data = self  # whatever it may be set to

    def __repr__(self) -> str:
        return repr(self.connection)

    @property
    def in_flight(self) -> int:
        """Messages accepted that are not in the receiver's queue yet."""
        return self._port.in_flight(self.connection)

    async def send(self, data: bytes | bytearray | memoryview) -> None:
        """Send one message; returns when it is accepted, which waits for a free place among those in flight.

        Tasks that wait for the same connection send in the order of their calls. Raises InvalidValue above the
        largest message, ConnectionReset when the peer died, Shutdown when it left, NotConnected after this side did.
        """
        side = self._side
        async with self._turn:
            while side._present("send") and not self._port.send(self.connection, data):
                try:
                    await side._sendable.wait()
                except BaseException:
                    self._port.withdraw(self.connection)
                    raise

    async def flush(self) -> None:
        """Wait until nothing is in flight, which leaving the block does not. Raises as comch.Connection.flush."""
        while self._side._present("flush"):
            try:
                return self.connection.flush(timeout=0)
            except TimeOut:
                await asyncio.sleep(_FLUSH_TICK_S)


class Message(NamedTuple):
    """What `receive` returns: the bytes, and the connection that they came on."""

    data: bytes
    connection: Connection

    async def reply(self, data: bytes | bytearray | memoryview) -> bool:
        """Send an answer to where this came from, as Connection.send, and return True.

        On a server, False when that client has gone: the others are served on. `Server.messages` reports its end.
        """
        try:
            await self.connection.send(data)
        except (Shutdown, ConnectionReset):
            if not self.connection._side.context._survives(self.connection.connection):
                raise
            return False
        return True


class _Side(Generic[_C]):
    """What Client and Server share. `context` is the one below, for its settings: its own calls may block."""

    def __init__(self, context: _C) -> None:
        self.context: _C = context
        self._left = False
        self._turn = Turn()
        self._receivable = Ready(lambda: context.recv_fd, context.arm_recv)
        self._sendable = Ready(lambda: context.send_fd, context.arm_send)
        engine = context.engine
        self._moved = Ready(lambda: engine.notification_handle, engine.request_notification)

    def __repr__(self) -> str:
        return repr(self.context)

    async def receive(self) -> Message:
        """The oldest message of all connections. A server accepts waiting clients here, too.

        Tasks that wait get the messages in the order of their calls. Raises ConnectionReset once for a peer that
        died, after its messages (`.connection` is it), and always on a server that has failed; on a client Shutdown
        when the server has left; NotConnected when nothing can come any more: this side has left the
        block, or a client's server has died and that was reported before.
        """
        over = False
        async with self._turn:
            while True:
                self._present("receive")
                try:
                    data, connection = self.context.receive(timeout=0)
                    return Message(data, self._known(connection))
                except Again:
                    if over:
                        text = f"receive: {self!r} is IDLE: its connection has ended, as an earlier receive reported"
                        raise NotConnected(text) from None
                except DocaError as error:
                    if isinstance(error.connection, comch.Connection):
                        error.connection = self._known(error.connection)
                    raise
                over = self.context.state is State.IDLE  # then once more: what came before the end comes first
                if not over:
                    await self._receivable.wait()

    def __aiter__(self) -> AsyncIterator[Message]:
        """Every message, waiting for each, until the server leaves or this side does."""
        return self

    async def __anext__(self) -> Message:
        try:
            return await self.receive()
        except (Shutdown, NotConnected):
            raise StopAsyncIteration from None

    def _known(self, connection: comch.Connection) -> Connection:
        return connection.user_data or Connection(self, connection)

    def _present(self, call: str) -> Literal[True]:
        if self._left:
            raise NotConnected(f"{call}: {self!r} has been left; it is legal within the block")
        return True

    async def _progress(self, timeout: float) -> None:
        """Sleep until the engine has something to do, or some seconds, and do it."""
        await self._moved.wait(timeout)
        self.context.engine.clear_notification()
        self.context.engine.progress()

    async def _leave(self) -> None:
        """Stop, go on to IDLE, and give everything back; when cancelled meanwhile, without another turn of the loop."""
        self._left = True
        self._receivable.wake()  # a waiting receive reports it
        self._sendable.wake()
        try:
            with suppress(BadState, NotConnected, InvalidValue):  # it is IDLE already, or another thread has closed it
                self.context.stop()
                while self.context.state is not State.IDLE:
                    await self._progress(_TICK_S)
        finally:
            self.context.close()


class Client(_Side[comch.Client]):
    """Made by `connect`: a client that is up."""

    connection: Connection

    async def send(self, data: bytes | bytearray | memoryview) -> None:
        """Send one message to the server, as Connection.send."""
        await self.connection.send(data)

    async def flush(self) -> None:
        """Wait until nothing is in flight, as Connection.flush."""
        await self.connection.flush()

    async def _come_up(self, timeout: float | None) -> None:
        context, deadline = self.context, deadline_after(timeout, "connect")
        connection = context.connect(timeout=0)
        while context.state is not State.RUNNING:
            if context.state is State.IDLE:
                context._raise_reason(connection, "connect")
            left = _REDIAL_S if deadline is None else deadline - time.monotonic()
            if left <= 0:
                raise TimeOut(f"connect: {self!r} was not accepted within {timeout} s")
            await self._progress(min(left, _REDIAL_S))
        self.connection = Connection(self, connection)


class Server(_Side[comch.Server]):
    """Made by `serve`: a server that listens. It accepts its clients while a task receives."""

    async def messages(self, on_lost: OnLost = _nothing) -> AsyncGenerator[Message, None]:
        """Every message of all clients, waiting for each; a client that leaves or dies ends nothing.

        on_lost: called as `on_lost(connection, error)` for a client that has gone, after its messages: Shutdown when it
        left, ConnectionReset when it died. ConnectionReset is raised when the server itself has failed.
        """
        self.context._on_lost = lambda connection, error: on_lost(self._known(connection), error)
        try:
            while True:
                try:
                    message = await self.receive()
                except NotConnected:
                    return
                except ConnectionReset as error:
                    if self.context._failed:
                        raise
                    if error.connection is not None:
                        on_lost(error.connection, error)
                    continue
                yield message
        finally:
            self.context._on_lost = _nothing

    def __aiter__(self) -> AsyncIterator[Message]:
        """Every message of all clients, as `messages`."""
        return self.messages()

    def disconnect(self, connection: Connection) -> None:
        """Disconnect one client (C: doca_comch_server_disconnect); a send that waits raises NotConnected."""
        if not isinstance(connection, Connection):
            raise InvalidValue(f"disconnect takes a connection of this server, not {connection!r}")
        self.context.disconnect(connection.connection)
        self._sendable.wake()
