"""The client: it connects within its block."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import comch_next as comch
from comch_next._codes import State
from comch_next.aio._connection import Connection
from comch_next.aio._side import Closing, Side
from comch_next.engine import deadline_after, seconds_left
from comch_next.errors import ConnectionAborted

__all__ = ["Client", "connect"]

_REDIAL_S = 0.05  # a server that is not there, or whose backlog is full, is dialled again this often


@asynccontextmanager
async def connect(
    device: comch.Device,
    name: str,
    *,
    timeout: float | None = 5.0,
    wait_for_server: bool = False,
    max_msg_size: int | None = None,
    recv_queue_size: int | None = None,
    send_queue_size: int | None = None,
    streams: bool = False,
) -> AsyncIterator[Client]:
    """Connect a client for an `async with` block; its end stops the context and waits for IDLE. Sizes as comch.Client.

    streams: whether `Stream`, consumers and producers may be used on its connection.

    timeout: seconds; None waits for ever. wait_for_server: if no server listens or it refuses, for whatever reason,
    try again until the timeout, then raise TimeOut with the last refusal. Otherwise raises ConnectionAborted if no
    server listens or it refuses. Raises TimeOut if the server does not accept in time, InvalidValue for an invalid
    timeout.
    """
    context = comch.Client(
        device,
        name,
        max_msg_size=max_msg_size,
        recv_queue_size=recv_queue_size,
        send_queue_size=send_queue_size,
    )
    if streams:
        comch.Stream.enable(context)
    client = Client(context)
    async with Closing(client):
        await client._come_up(timeout, wait_for_server)
        yield client


class Client(Side[comch.Client]):
    """A client that is connected, made by `connect`."""

    connection: Connection

    async def send(self, data: bytes | bytearray | memoryview) -> None:
        """Send one message to the server, as Connection.send."""
        await self.connection.send(data)

    async def flush(self) -> None:
        """Wait until nothing is in flight, as Connection.flush."""
        await self.connection.flush()

    async def _come_up(self, timeout: float | None, wait_for_server: bool) -> None:
        deadline = deadline_after(timeout, "connect")
        refused = ""
        while True:
            try:
                self.connection = await self._dial(timeout, deadline, refused)
            except ConnectionAborted as error:
                if not wait_for_server:
                    raise
                refused = f": {error}"
                if seconds_left(deadline, _REDIAL_S) < _REDIAL_S:
                    raise self.context._late(timeout, refused) from error
                await asyncio.sleep(_REDIAL_S)
            else:
                return

    async def _dial(self, timeout: float | None, deadline: float | None, refused: str) -> Connection:
        context = self.context
        connection = context.connect(timeout=0)
        while context.state is not State.RUNNING:
            if context.state is State.IDLE:
                context._raise_reason(connection, "connect")
                break
            if not (left := seconds_left(deadline, _REDIAL_S)):
                raise self.context._late(timeout, refused)
            await self._progress(left)
        return Connection(self, connection)
