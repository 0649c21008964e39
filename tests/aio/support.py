"""An event loop that tells what it watches, and two ends in it."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import comch_next as comch
from comch_next import aio
from tests.processes import SOON_S
from tests.pull.support import helpers_rest

DEADLINE_S = 2 * SOON_S
T = TypeVar("T")


class Loop(asyncio.SelectorEventLoop):
    """`watched` are the descriptors with a reader, `turns` the times that one was ready; `reported` is what has been
    reported to it, unless the test sets a handler of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.watched: set[int] = set()
        self.turns = 0
        self.reported: list[dict[str, Any]] = []
        self.set_exception_handler(lambda _, context: self.reported.append(context))

    def add_reader(self, fd: Any, callback: Callable[..., Any], *args: Any) -> None:  # type: ignore[override]
        super().add_reader(fd, self._turn, callback, *args)
        self.watched.add(fd)

    def remove_reader(self, fd: Any) -> bool:
        self.watched.discard(fd)
        return bool(super().remove_reader(fd))

    def _turn(self, callback: Callable[..., Any], *args: Any) -> None:
        self.turns += 1
        callback(*args)


def own_loop() -> Loop:
    """The loop that runs."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Loop)
    return loop


def held() -> int:
    """How many descriptors this process has, without the pipes to its children."""
    folder = Path("/proc/self/fd")
    kinds = []
    for entry in folder.iterdir():
        with suppress(FileNotFoundError):  # that of the listing itself, or one that another thread closes
            kinds.append(os.readlink(entry))
    return len([kind for kind in kinds if not kind.startswith("pipe:")])


def run(main: Coroutine[Any, Any, T]) -> T:
    """The coroutine's result, in time; nothing is reported to the loop, watched afterwards, or a descriptor left."""
    gc.collect()  # what an earlier test has left is none of this one's
    before = held()
    loop = Loop()
    try:
        result = loop.run_until_complete(asyncio.wait_for(main, DEADLINE_S))
        loop.run_until_complete(asyncio.sleep(0))  # what is being reported is called soon
        assert loop.reported == []
        assert asyncio.all_tasks(loop) == set()
        assert loop.watched == set()
    finally:
        loop.close()
    assert held() == before
    return result


async def until(check: Callable[[], object]) -> None:
    """Let the loop work until the check holds."""
    deadline = asyncio.get_running_loop().time() + SOON_S
    while not check():
        assert asyncio.get_running_loop().time() < deadline, "it did not happen in time"
        await asyncio.sleep(0.0005)


async def waits(*tasks: asyncio.Task[Any]) -> None:
    """Let the loop work for a while, after which these have not ended."""
    await asyncio.wait(tasks, timeout=0.03)
    assert not any(task.done() for task in tasks)


async def cancelled(task: asyncio.Task[Any]) -> None:
    """Cancel it, and see that it ends by that."""
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()


async def fill(connection: aio.Connection, size: int = 8) -> int:
    """Send numbered messages until one has to wait though no helper thread has anything to do, and is given up; how
    many were accepted."""
    number, full = 0, False
    while True:
        try:
            await asyncio.wait_for(connection.send(b"%0*d" % (size, number)), 0.05)
        except asyncio.TimeoutError:
            if full:
                return number
            await until(helpers_rest)
            full = True
        else:
            number, full = number + 1, False


class Ground:
    """The devices, and the two ends on them."""

    def __init__(self, form: str) -> None:
        self.form = form
        self.dpu = comch.open_device("03:00.0")
        self.host = comch.open_device("b1:00.0")

    def serve(self, name: str = "svc", **options: Any) -> AbstractAsyncContextManager[aio.Server]:
        return aio.serve(self.dpu, "b1:00.0", name, **options)

    def connect(self, name: str = "svc", **options: Any) -> AbstractAsyncContextManager[aio.Client]:
        return aio.connect(self.host, name, **{"timeout": SOON_S, **options})

    @asynccontextmanager
    async def pair(self, **options: Any) -> AsyncIterator[Pair]:
        """Options are those of both ends."""
        async with self.serve(**options) as server:
            hello = asyncio.ensure_future(server.receive())
            async with self.connect(**options) as client:
                await client.send(b"hello")
                yield Pair(server, client, (await hello).connection)

    def close(self) -> None:
        self.host.close()
        self.dpu.close()


class Pair(NamedTuple):
    """Two ends that are up, and the server's connection to the client."""

    server: aio.Server
    client: aio.Client
    connection: aio.Connection


async def echo(server: aio.Server) -> None:
    """Answer every message until the server is left, whoever dies meanwhile."""
    while True:
        try:
            async for message in server:
                await message.reply(message.data)
            return
        except comch.ConnectionReset:
            continue
