"""A task for each client of a server, and the messages on their way to it."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from comch_next._ready import Event
from comch_next.aio._connection import Connection, Message
from comch_next.aio._side import Side
from comch_next.aio._steps import close_streams
from comch_next.driver.protocol import uninterrupted
from comch_next.errors import Again, DocaError, NotConnected, from_code

if TYPE_CHECKING:
    from comch_next.aio._server import Server

__all__ = ["Handler", "Handling", "Inbox"]

Handler = Callable[[Connection], Awaitable[object]]
_MOST = 64  # messages of one client that its handler has not taken
_RETRY_S = 0.01


class Inbox:
    """Messages that have been received for one handler, and after them what ended its connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._messages: deque[Message] = deque()
        self._error: DocaError | None = None
        self._discarded = False
        self._news = Event()
        self._room = Event()
        self._room.set()

    async def put(self, message: Message) -> None:
        """Add a message, for which others wait while the handler has too many to take."""
        await self._room.wait()
        if self._discarded:
            return
        self._messages.append(message)
        self._news.set()
        if len(self._messages) >= _MOST:
            self._room.clear()

    async def get(self) -> Message:
        """The oldest message; after the last one raises what ended the connection, each time anew."""
        while not self._messages:
            if (error := self._error) is not None:
                raise from_code(error.code, error.message, connection=self._connection)
            self._news.clear()
            await self._news.wait()
        self._room.set()
        return self._messages.popleft()

    def end(self, error: DocaError) -> None:
        """No message comes after those that are here."""
        self._error = self._error or error
        self._news.set()

    def discard(self) -> None:
        """The handler takes no messages any more; a task that still waits for one gets NotConnected."""
        self._discarded = True
        self._messages.clear()
        self._room.set()
        self.end_here()

    def end_here(self) -> None:
        """This side has left the connection."""
        self.end(NotConnected(f"receive: this side has left {self._connection!r}"))


class Handling:
    """The tasks of a server: one that receives, and one for each client."""

    def __init__(self, server: Server, handler: Handler) -> None:
        self._server = server
        self._handler = handler
        self._inboxes: dict[Connection, Inbox] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._raised = False
        self._stopping = False
        self.receiving = asyncio.ensure_future(self._receive())

    async def _receive(self) -> None:
        await asyncio.sleep(0)  # where tasks begin at once, the server does not know of this object before
        why: DocaError = NotConnected(f"receive: {self._server!r} does not receive any more")
        try:
            with self._server._reporting_to(self._end):
                for count in itertools.count(1):
                    message = await self._server._next(partial(Side.receive, self._server))
                    await self._inbox(message.connection).put(message)
                    if count % _MOST == 0:  # receive, which begins with them, may always find a message
                        self.begin_new()
        except DocaError as error:
            why = error
            if not isinstance(error, NotConnected):  # this side has left
                raise
        finally:
            for inbox in self._inboxes.values():
                inbox.end(why)

    def begin_new(self) -> None:
        """Begin to handle clients that have connected and sent nothing yet."""
        for connection in self._server.connections:
            self._inbox(connection)

    def _inbox(self, connection: Connection) -> Inbox:
        if connection._inbox is None:
            connection._inbox = self._inboxes[connection] = Inbox(connection)
            task = asyncio.ensure_future(self._handle(connection))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return connection._inbox

    def _end(self, connection: Connection, error: DocaError) -> None:
        if connection._inbox is not None:
            connection._inbox.end(error)

    async def _handle(self, connection: Connection) -> None:
        """Run the handler; its connection ends with it. An exception is the loop's to report, and ends nothing else."""
        try:
            try:
                await self._handler(connection)
            finally:
                self._discard(connection)  # first: the flush may wait for a peer that sends, too
            await connection.flush()
        except Exception as error:
            if not connection._has_ended_by(error):
                self._report(f"the handler of {connection!r} failed", error)
        finally:
            await self._drop(connection)

    def _discard(self, connection: Connection) -> None:
        assert connection._inbox is not None
        connection._inbox.discard()
        self._inboxes.pop(connection, None)

    def _report(self, message: str, error: Exception) -> None:
        asyncio.get_running_loop().call_exception_handler({"message": message, "exception": error})

    async def _drop(self, connection: Connection) -> None:
        with suppress(DocaError):  # of streams that the handler has left open, which would keep it connected
            await close_streams(self._server.context, connection.connection)
        reported = False
        while not connection.closed:
            try:
                return self._server.disconnect(connection)
            except DocaError as error:
                if not (reported or isinstance(error, Again)):  # what the program has left open, such as a consumer
                    self._report(f"{connection!r} stays connected after its handler", error)
                    reported = True
            if self._stopping:  # what is left open is the server's to refuse
                return
            await asyncio.sleep(_RETRY_S)

    async def wait(self) -> None:
        """Wait while clients are served; raises why that has ended."""
        try:
            await asyncio.shield(self.receiving)
        finally:
            self._raised = self.receiving.done()

    def raise_failure(self) -> None:
        """Raise why the server has failed, unless `wait` has, or the loop, which two exceptions end at once."""
        if not (self._raised or self.receiving.cancelled()):
            error = self.receiving.exception()
            if error is not None and not isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise error

    async def stop(self) -> None:
        """Cancel every task and wait for it."""
        self._stopping = True
        tasks = [self.receiving, *self._tasks]
        _cancel(tasks)
        await asyncio.wait(tasks)


@uninterrupted
def _cancel(tasks: list[asyncio.Task[None]]) -> None:
    """Uninterrupted as what gives results: see _ready."""
    for task in tasks:
        task.cancel()
