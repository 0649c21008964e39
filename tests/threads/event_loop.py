"""The asyncio face: each end has an event loop of its own, which one thread runs at a time.

Other threads end the context below, which the loop's tasks find out; tasks of the loop end the rest.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, suppress
from typing import Any

import comch_next as comch
from comch_next import DocaError, aio
from tests.threads.face import DATA, DPU, HOST, Call, End, Face, give_back, leave

__all__ = ["EventLoop"]

_SOON_S = 0.01
_TURN_S = 0.001
Work = Callable[["LoopEnd"], Coroutine[Any, Any, object]]


class LoopEnd(End):
    """An end in its loop. `side` is what `aio.connect` or `aio.serve` has made, while it is open."""

    side: Any = None

    def __init__(self, *, server: bool) -> None:
        super().__init__(server=server)
        self.device = comch.open_device(DPU if server else HOST)
        self.loop = asyncio.SelectorEventLoop()
        self.lock = threading.Lock()
        self.stack = AsyncExitStack()
        self.opening: asyncio.Task[Any] | None = None

    def run(self, work: Coroutine[Any, Any, object]) -> object:
        """Run it in the loop, for a moment at most."""
        try:
            with self.lock:
                return self.loop.run_until_complete(asyncio.wait_for(work, _SOON_S))
        except KeyboardInterrupt as raised:
            vars(raised)["met"] = True
            raise
        except (asyncio.TimeoutError, StopAsyncIteration) as error:
            interrupt = _interrupt_of(error)
            if interrupt is None or "met" in vars(interrupt):
                return None
            vars(interrupt)["met"] = True
            raise interrupt from None  # it was on its way out when the moment was over

    def close_loop(self) -> None:
        """Cancel what is left, as asyncio.run does, and close the loop."""
        self.loop.run_until_complete(_cancel_others())
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()


def _interrupt_of(error: BaseException | None) -> KeyboardInterrupt | None:
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def _in_loop(work: Work) -> Call:
    return lambda end: end.run(work(end))  # type: ignore[attr-defined, arg-type]


async def _next(end: LoopEnd) -> object:
    return await end.side.__aiter__().__anext__()


async def _reply(end: LoopEnd) -> object:
    return await (await end.side.receive()).reply(DATA)


async def _together(end: LoopEnd) -> None:
    """Several tasks at once, of which one leaves."""
    works = [end.side.receive(), end.side.receive(), end.connection.send(DATA), end.connection.flush()]
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        await asyncio.sleep(0)
        await end.stack.aclose()
    finally:
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception) and not isinstance(result, DocaError):
            raise result


async def _leave(end: LoopEnd) -> None:
    await end.stack.aclose()


async def _disconnect(end: LoopEnd) -> None:
    if end.is_server:
        end.side.disconnect(end.connection)
    else:
        await end.stack.aclose()


async def _another(end: LoopEnd) -> None:
    """A second context in the same loop."""
    if end.is_server:
        async with aio.serve(end.device, HOST, "another"):
            pass
    else:
        with suppress(comch.ConnectionAborted):
            async with aio.connect(end.device, "nobody", timeout=0.002):
                pass


def _stop(end: Any) -> None:
    context = end.side.context
    leave(context.stop, lambda: context.state, context.engine.progress)


class EventLoop(Face):
    """The conveniences for tasks of one event loop."""

    calls: dict[str, Call] = {
        "receive": _in_loop(lambda end: end.side.receive()),
        "next": _in_loop(_next),
        "reply": _in_loop(_reply),
        "send": _in_loop(lambda end: end.connection.send(DATA)),
        "flush": _in_loop(lambda end: end.connection.flush()),
        "in_flight": lambda end: (end.connection.in_flight, repr(end.connection)),
        "another": _in_loop(_another),
        "several at once": _in_loop(_together),
    }
    ends: dict[str, Call] = {
        "leave": _in_loop(_leave),
        "disconnect": _in_loop(_disconnect),
        "context.close": lambda end: end.side.context.close(),  # type: ignore[attr-defined]
        "context.stop": _stop,
    }

    def make(self, *, server: bool) -> End:
        return LoopEnd(server=server)

    def open(self, end: Any) -> None:
        made = aio.serve(end.device, HOST, "svc") if end.is_server else aio.connect(end.device, "svc")
        end.opening = end.loop.create_task(end.stack.enter_async_context(made))
        if end.is_server:
            end.side = end.loop.run_until_complete(end.opening)
            end.context = end.side.context

    def move(self, end: Any) -> None:
        if end.is_server:
            message = end.run(end.side.receive())
            end.connection = end.connection or (message and message.connection)
        else:
            end.run(asyncio.sleep(_TURN_S))

    def is_up(self, end: Any) -> bool:
        if not end.is_server and end.side is None and end.opening.done():
            end.side = end.opening.result()
            end.context, end.connection = end.side.context, end.side.connection
            end.run(end.connection.send(b"hello"))
        return end.connection is not None

    def close(self, end: Any) -> None:
        with end.lock:
            try:
                end.loop.run_until_complete(end.stack.aclose())
            finally:
                end.close_loop()
        if end.side is not None:
            end.side.context.close()  # for a block whose end was interrupted
        give_back(end)
