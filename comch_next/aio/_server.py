"""The server: it listens within its block, for a program that pulls, or for a handler of each client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from functools import partial

import comch_next as comch
from comch_next._callbacks import expect_callback
from comch_next._origins import shown
from comch_next.aio._connection import Connection, Message
from comch_next.aio._handling import Handler, Handling
from comch_next.aio._side import Closing, Side
from comch_next.driver.protocol import by_system
from comch_next.errors import BadState, ConnectionReset, DocaError, InvalidValue, NotConnected, Shutdown

__all__ = ["Server", "serve"]

OnLost = Callable[[Connection, DocaError], object]


@asynccontextmanager
async def serve(
    device: comch.Device,
    rep: comch.Representor | str,
    name: str,
    handler: Handler | None = None,
    *,
    max_msg_size: int | None = None,
    recv_queue_size: int | None = None,
    send_queue_size: int | None = None,
    streams: bool = False,
) -> AsyncIterator[Server]:
    """Run a server for an `async with` block; its end disconnects all and waits for IDLE. Sizes as comch.Server.

    streams: whether `Stream`, consumers and producers may be used on connections.

    handler: called as `await handler(connection)` in a task for each client, from when it connects. When it returns,
    what it has sent is flushed and the client disconnected; when it raises, the loop's exception handler reports that,
    and the server keeps serving the others. Leaving the block cancels handlers that still run. A handler that does not
    take its messages delays those of other clients once 64 wait for it. Without a handler, receive from the server.

    Raises AlreadyExist when the name is taken, and what `Server.start` raises.
    """
    if handler is not None:
        expect_callback(handler, "serve", "a coroutine function as handler")
    context = comch.Server(
        device,
        rep,
        name,
        max_msg_size=max_msg_size,
        recv_queue_size=recv_queue_size,
        send_queue_size=send_queue_size,
    )
    if streams:
        comch.Stream.enable(context)
    server = Server(context)
    async with Closing(server):
        context.listen()
        if handler is not None:
            server._handling = Handling(server, handler)
        yield server


class Server(Side[comch.Server]):
    """A server that listens, made by `serve`. It accepts clients while a task receives, or if it has a handler."""

    _handling: Handling | None = None

    @property
    def connections(self) -> list[Connection]:
        """The connections that are up, the oldest first."""
        self._present("connections")
        return [self._known(connection) for connection in self.context._opened_port("connections").connections]

    async def receive(self) -> Message:
        """Receive the oldest message of all clients; accept those that wait. Raises BadState if there is a handler."""
        if self._handling is not None:
            text = f"receive was attempted on {self!r}, whose messages go to its handler"
            raise BadState(f"{text}; legal on the connections that the handler gets")
        return await super().receive()

    async def _receive_on(self, connection: Connection) -> Message:
        text = f"receive was attempted on {connection!r} without a handler"
        raise BadState(f"{text}; receive from the server, or give aio.serve a handler")

    def _accepted(self) -> None:
        if self._handling is not None:
            self._handling.begin_new()

    async def serve_forever(self) -> None:
        """Wait while the handler serves the clients. Raises ConnectionReset if the server fails."""
        if self._handling is None:
            raise BadState(f"serve_forever was attempted on {self!r}, which has no handler; iterate over it instead")
        await self._handling.wait()

    async def broadcast(self, data: bytes | bytearray | memoryview) -> int:
        """Send one message to every connected client and return how many accepted it. Raises InvalidValue as send.

        It waits for clients whose queues are full, and leaves out those that disconnect meanwhile. A cancelled
        broadcast has reached those that had room.
        """
        sends = [connection.send(data) for connection in self.connections]
        failures = [error for error in await asyncio.gather(*sends, return_exceptions=True) if error is not None]
        for error in failures:
            if not isinstance(error, (Shutdown, ConnectionReset, NotConnected)):
                raise error
        return len(sends) - len(failures)

    async def _leave(self) -> None:
        try:
            if self._handling is not None:
                await self._handling.stop()
        finally:
            await super()._leave()
        if self._handling is not None:
            self._handling.raise_failure()

    async def messages(self, on_lost: OnLost | None = None) -> AsyncGenerator[Message, None]:
        """Iterate over the messages of all clients. A client that leaves or dies does not end the loop.

        on_lost: called as `on_lost(connection, error)` for a client that has gone, after its messages: Shutdown when it
        left, ConnectionReset when it died; see comch.Server.messages. ConnectionReset is raised when the server itself
        has failed.
        """
        with self._reporting_to(on_lost):
            while True:
                try:
                    message = await self._next(self.receive)
                except by_system(NotConnected):
                    return
                yield message

    async def _next(self, receive: Callable[[], Awaitable[Message]]) -> Message:
        """Receive the next message, and report the clients that have died before it."""
        while True:
            try:
                return await receive()
            except by_system(ConnectionReset) as error:
                if self.context._failed:
                    raise
                if error.connection is not None:  # else a client went away before it was accepted
                    self.context._report_lost(error.connection.connection, error)

    def _reporting_to(self, on_lost: OnLost | None) -> AbstractContextManager[None]:
        """Report clients that have gone in the block, as the server of comch_next does."""
        if on_lost is not None:
            expect_callback(on_lost, "messages", "a function as on_lost")
        return self.context._reporting_to(None if on_lost is None else partial(self._pass_on, on_lost))

    def _pass_on(self, on_lost: OnLost, connection: comch.Connection, error: DocaError) -> None:
        self._convert(error)
        on_lost(self._known(connection), error)

    def __aiter__(self) -> AsyncIterator[Message]:
        """Iterate over the messages of all clients, as `messages`."""
        return self.messages()

    def disconnect(self, connection: Connection) -> None:
        """Disconnect one client (C: doca_comch_server_disconnect); a call that waits raises NotConnected."""
        if not isinstance(connection, Connection):
            raise InvalidValue(f"disconnect takes a connection of this server, not {shown(connection)}")
        connection._note_end()
        self.context.disconnect(connection.connection)
        self._sendable.wake()
        if connection._inbox is not None:
            connection._inbox.end_here()
