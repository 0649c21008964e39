"""The steps of a stream, whose pauses are the loop's: other tasks have their turn meanwhile."""

from __future__ import annotations

import asyncio
from contextlib import closing, suppress
from typing import TypeVar

import comch_next as comch
from comch_next._control import ControlContext
from comch_next._ready import Ready
from comch_next._stream_link import Steps
from comch_next.errors import InvalidValue

__all__ = ["close_streams", "engine_ready", "run"]

_T = TypeVar("_T")


async def run(steps: Steps[_T], ready: dict[comch.ProgressEngine, Ready] | None = None) -> _T:
    """Take every step, and let the loop work where they pause; `ready` are the engines that it has slept on."""
    ready = {} if ready is None else ready
    with closing(steps):
        while True:
            try:
                pause = next(steps)
            except StopIteration as end:
                value: _T = end.value
                return value
            if pause is None or isinstance(pause, float):
                await asyncio.sleep(pause or 0)
                continue
            engine, timeout = pause
            if engine not in ready:
                ready[engine] = engine_ready(engine)
            await ready[engine].wait(timeout)
            with suppress(InvalidValue):  # the stream has been closed meanwhile, as its steps will report
                engine.clear_notification()


def engine_ready(engine: comch.ProgressEngine) -> Ready:
    """Return what waits for an engine to have something to do."""
    return Ready(lambda: engine.notification_handle, lambda: engine.request_notification(), engine._lock)


async def close_streams(context: ControlContext, connection: comch.Connection | None = None) -> None:
    """Close the streams on a connection, or on all of a context."""
    for link in context._streams(connection):
        await run(link.closing())
