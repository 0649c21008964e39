"""The server: it listens within its block, for a program that pulls, or for a handler of each client."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager

import comch_next as comch
from comch_next.aio._connection import Connection, Message
from comch_next.aio._side import Side, closing
from comch_next.errors import ConnectionReset, DocaError, InvalidValue, NotConnected

__all__ = ["Server", "serve"]

OnLost = Callable[[Connection, DocaError], object]


def _nothing(*_: object) -> None:
    """The callback of a program that asks for none."""


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
    async with closing(server):
        context.listen()
        yield server


class Server(Side[comch.Server]):
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
