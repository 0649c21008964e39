"""Streams on the fast path of a connection, for tasks: comch.Stream, whose waiting is the loop's."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import comch_next as comch
from comch_next._exits import note
from comch_next._ready import Ready
from comch_next._stream_ends import Report
from comch_next.aio._connection import Connection
from comch_next.aio._steps import run
from comch_next.arguments import instance
from comch_next.stream import CHUNK_SIZE

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Stream"]


class Stream:
    """Streams on a connection, in both directions, within an `async with` block: see comch.Stream, also for errors.

    Its context was made with `streams=True`. Files are read and written in the event loop, a chunk at a time, and other
    tasks have their turn between chunks. A call that is cancelled gives the stream up; the next one is a new stream.
    """

    def __init__(self, connection: Connection) -> None:
        """Raises BadState unless the connection's client or server was made with `streams=True`."""
        instance(connection, Connection, "the connection of a Stream")
        self.connection = connection
        self._stream = comch.Stream(connection.connection)
        self._ready: dict[comch.ProgressEngine, Ready] = {}

    def __repr__(self) -> str:
        return repr(self._stream)

    async def __aenter__(self) -> Self:
        """Start this side; the other need not be there yet."""
        link = self._stream._link
        await run(link.open(), self._ready)
        assert link.kept is not None
        link.kept.callback(self._wake)
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            await run(self._stream._link.closing())
        except Exception as failure:
            if error is None:
                raise
            note(error, failure)

    async def send_stream(self, source: Any, *, chunk_size: int = CHUNK_SIZE, progress: Report = None) -> int:
        """Send what is left of a binary file object, or all of something bytes-like, as comch.Stream.send_stream."""
        return await run(self._stream._send(source, chunk_size, progress, asyncio.current_task()), self._ready)

    async def recv_stream(self, sink: Any, *, chunk_size: int = CHUNK_SIZE, progress: Report = None) -> int:
        """Write the other side's next stream to a binary file object, as comch.Stream.recv_stream."""
        return await run(self._stream._receive(sink, chunk_size, progress, asyncio.current_task()), self._ready)

    def _wake(self) -> None:
        """Wake a call that another task ends by closing the stream: no event of the engine does when it has gone."""
        for ready in self._ready.values():
            ready.wake()
            ready.close()
