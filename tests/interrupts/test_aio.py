"""An interrupt while the library wakes a task of asyncio's: all tasks can be cancelled, and none sleeps for ever."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next import aio
from tests.descriptors import collected_fds, open_fds
from tests.processes import SOON_S

DPU, HOST = "03:00.0", "b1:00.0"
LIBRARY, ASYNCIO = (str(Path(str(package.__file__)).parent) for package in (comch, asyncio))


class Loop(asyncio.SelectorEventLoop):
    """Gets the interrupt in the `at`-th call that the library has it make soon: a future has its result already."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self._at = at
        self.count = 0

    def call_soon(  # type: ignore[override]
        self, callback: Callable[..., object], *args: Any, **options: Any
    ) -> asyncio.Handle:
        caller = sys._getframe(1)
        while caller.f_back and caller.f_code.co_filename.startswith(ASYNCIO):
            caller = caller.f_back
        if caller.f_code.co_filename.startswith(LIBRARY):
            self.count += 1
            if self.count == self._at:
                signal.raise_signal(signal.SIGINT)
        return super().call_soon(callback, *args, **options)


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


async def talk() -> None:
    async def echo(connection: aio.Connection) -> None:
        async for message in connection:
            await message.reply(message.data)

    with comch.open_device(DPU) as device, comch.open_device(HOST) as host:
        async with aio.serve(device, HOST, "svc", echo), aio.connect(host, "svc") as client:
            for _ in range(3):
                first, second = asyncio.ensure_future(client.receive()), asyncio.ensure_future(client.receive())
                await asyncio.sleep(0)  # the second waits for its turn
                for number in b"12":
                    await client.send(bytes([number]))
                assert [(await message).data for message in (first, second)] == [b"1", b"2"]


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited:RuntimeWarning")  # its task was not begun
@pytest.mark.usefixtures("runtime_dir")
def test_no_task_sleeps_for_ever() -> None:
    fds = collected_fds()
    for at in count(1):
        loop = Loop(at)
        with suppress(KeyboardInterrupt):
            loop.run_until_complete(talk())
        if tasks := asyncio.all_tasks(loop):
            for task in tasks:
                task.cancel()
            _, asleep = loop.run_until_complete(asyncio.wait(tasks, timeout=SOON_S))
            assert not asleep, at
        loop.close()
        assert open_fds() == fds, at
        if loop.count < at:
            break
    assert at > 10
