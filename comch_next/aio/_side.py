"""What both ends share: receiving, progress, and leaving at the end of the block."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Generic, Literal, TypeVar

import comch_next as comch
from comch_next._codes import State
from comch_next._exits import note
from comch_next._ready import Ready, Turn
from comch_next.aio._connection import Connection, Message
from comch_next.aio._steps import close_streams, engine_ready
from comch_next.driver.protocol import WeakSet, by_system, suppress_system
from comch_next.errors import Again, BadState, DocaError, InvalidValue, NotConnected, Shutdown

__all__ = ["Closing", "Side"]

_C = TypeVar("_C", comch.Client, comch.Server)
_TICK_S = 0.05  # no event ends a stop: progress at least this often


class Closing:
    """Leave at the end of the block, whose own exception wins over what leaving raises.

    Not a generator: a loop that ends closes all of those at once, and this one lies within another.
    """

    def __init__(self, side: Side[Any]) -> None:
        self._side = side

    async def __aenter__(self) -> None:
        """Nothing has to be done."""

    async def __aexit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        try:
            await self._side._leave()
        except Exception as failure:
            if error is None:
                raise
            note(error, failure)


class Side(Generic[_C]):
    """What Client and Server share. `context` is the one below, for its settings: its own calls may block."""

    def __init__(self, context: _C) -> None:
        self.context: _C = context
        self._left = False
        self._turn = Turn()
        self._connections: WeakSet[Connection] = WeakSet()
        engine = context.engine
        # Each call is looked up when it is made: opening the port puts others in its place.
        self._receivable = Ready(lambda: context.recv_fd, lambda: context.arm_recv(), engine._lock)
        self._sendable = Ready(lambda: context.send_fd, lambda: context.arm_send(), engine._lock)
        self._loop = asyncio.get_running_loop()
        engine._hand_errors_to(self._report)  # else any call that polls would raise them as its own
        self._moved = engine_ready(engine)
        self._turning: asyncio.Task[None] | None = None
        engine._on_connected = self._connected

    def __repr__(self) -> str:
        return repr(self.context)

    async def receive(self) -> Message:
        """Receive the oldest message of all connections. A server also accepts waiting clients here.

        Tasks that wait get the messages in the order of their calls. Raises ConnectionReset once for a peer that
        died, after its messages (`error.connection` is that peer's), and always on a server that has failed; on a
        client Shutdown when the server has left; NotConnected when nothing can arrive any more: this side has left the
        block, or a client's server has died and that was reported before.
        """
        over = False
        async with self._turn:
            while True:
                self._present("receive")
                try:
                    data, connection = self.context.receive(timeout=0)
                    return Message(data, self._known(connection))
                except by_system(Again):
                    if over:
                        text = f"receive: {self!r} is IDLE: its connection has ended, as an earlier receive reported"
                        raise NotConnected(text) from None
                except by_system(DocaError) as error:
                    self._convert(error)
                    raise
                over = self.context.state is State.IDLE  # then once more: what came before the end comes first
                self._accepted()
                if not over:
                    await self._receivable.wait()

    def __aiter__(self) -> AsyncIterator[Message]:
        """Iterate over messages, waiting for each, until the server leaves or this side does."""
        return self

    async def __anext__(self) -> Message:
        try:
            return await self.receive()
        except by_system(Shutdown, NotConnected):
            raise StopAsyncIteration from None

    def _accepted(self) -> None:
        """Look at clients that have been accepted; a client has none."""

    async def _receive_on(self, connection: Connection) -> Message:
        """The next message of a connection without a handler."""
        return await self.receive()

    def _known(self, connection: comch.Connection) -> Connection:
        return connection.user_data or Connection(self, connection)

    def _convert(self, error: DocaError) -> None:
        """Make the connection that an error is about that of this module."""
        if isinstance(error.connection, comch.Connection):
            error.connection = self._known(error.connection)

    def _present(self, call: str) -> Literal[True]:
        if self._left:
            raise NotConnected(f"{call}: {self!r} has been left; it is legal within the block")
        return True

    def _report(self, error: Exception) -> None:
        """Have the loop report what a callback of the program has raised, perhaps on another thread."""
        context = {"message": f"a callback on the engine of {self!r} failed", "exception": error}
        self._loop.call_soon_threadsafe(self._loop.call_exception_handler, context)

    def _connected(self, context: comch.Context) -> None:
        """Note a context on the engine, such as a consumer, perhaps on another thread."""
        if context is not self.context:
            self._loop.call_soon_threadsafe(self._attend)

    def _attend(self) -> None:
        if not self._left and (self._turning is None or self._turning.done()):
            self._turning = self._loop.create_task(self._turn_for_others())

    async def _turn_for_others(self) -> None:
        """Progress while there are other contexts on the engine; what this side itself does needs none."""
        with suppress(InvalidValue):  # another thread has closed it
            while self._has_others():
                await self._progress(None)

    def _has_others(self) -> bool:
        if not self.context._alive:
            return False
        engine = self.context.engine
        if engine._helper is not None:  # which does it
            return False
        return any(context._alive and context is not self.context for context in engine._connected())

    async def _progress(self, timeout: float | None) -> None:
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
            # It is IDLE already, or another thread has closed it:
            with suppress_system(BadState, NotConnected, InvalidValue):
                for connection in self._connections:
                    connection._note_end()
                await close_streams(self.context)
                self.context.stop()
                while self.context.state is not State.IDLE:
                    await self._progress(_TICK_S)
        finally:
            if self._turning is not None:
                self._turning.cancel()
            for ready in (self._receivable, self._sendable, self._moved):
                ready.close()
            self.context.close()
