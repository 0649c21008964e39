"""What the event loop sees: readers only while somebody waits, no work while idle, a clear word when it has none."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import pytest

import comch_next as comch
from comch_next import aio
from comch_next._ready import Ready
from comch_next.aio import _client, _side
from comch_next.driver.protocol import new_lock
from tests.aio.support import DEADLINE_S, Ground, Pair, cancelled, echo, own_loop, run, until, waits
from tests.faults.exhausted import full_table
from tests.processes import SOON_S, Threads
from tests.pull.support import SPINS, helper_turns, helpers_rest

IDLE_S = 0.5
CLOSED = (comch.BadState, comch.InvalidValue, comch.NotConnected)  # by another thread


class Bell:
    """A descriptor that each arming makes unready, whatever it was about."""

    def __init__(self) -> None:
        self.fd = os.eventfd(0, os.EFD_NONBLOCK)
        self.armings = 0

    def arm(self) -> None:
        self.armings += 1
        with suppress(BlockingIOError):
            os.eventfd_read(self.fd)

    def ring(self) -> None:
        os.eventfd_write(self.fd, 1)

    def close(self) -> None:
        os.close(self.fd)


class NoReaders(asyncio.SelectorEventLoop):
    """As the loops of some other platforms and frameworks."""

    def add_reader(self, fd: Any, callback: Callable[..., Any], *args: Any) -> None:  # type: ignore[override]
        raise NotImplementedError


def test_a_loop_without_readers(ground: Ground) -> None:
    async def serve() -> None:
        async with ground.serve() as server:
            with pytest.raises(comch.NotSupported, match=r"add_reader, which NoReaders lacks.*SelectorEventLoop"):
                await server.receive()
            if ground.form == "driver":  # the other may be up before there is anything to wait for
                with pytest.raises(comch.NotSupported, match="add_reader"):
                    async with ground.connect():
                        pytest.fail("it had to wait")

    loop = NoReaders()
    try:
        loop.run_until_complete(serve())
    finally:
        loop.close()


def test_idle_costs_nothing(ground: Ground) -> None:
    async def main() -> None:
        loop = own_loop()
        async with ground.pair() as pair:
            assert loop.watched == set()
            waiting = [asyncio.ensure_future(side.receive()) for side in (pair.client, pair.server)]
            await waits(*waiting)
            await until(helpers_rest)
            assert len(loop.watched) == 2
            turns = loop.turns
            with helper_turns() as of_helpers:
                await asyncio.wait(waiting, timeout=IDLE_S)
            assert loop.turns == turns
            assert len(of_helpers) < SPINS
            for task in waiting:
                await cancelled(task)
            assert loop.watched == set()

    run(main())


def test_threads(ground: Ground, threads: Threads) -> None:
    async def main() -> None:
        async with ground.pair() as pair:
            await pair.connection.send(b"x")
            await pair.client.receive()
            assert threads() == (0 if ground.form == "driver" else 2)

    run(main())


def test_connecting_and_leaving_are_woken_by_the_engine(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long the ticks are that look after it, which are for what no event reports."""
    monkeypatch.setattr(_client, "_REDIAL_S", DEADLINE_S)
    monkeypatch.setattr(_side, "_TICK_S", DEADLINE_S)

    async def main() -> None:
        async with ground.serve(handler=aio.Connection.wait_closed):
            for _ in range(3):
                async with ground.connect(timeout=None):
                    pass

    run(main())


def test_a_message_wakes_the_loop_once(ground: Ground) -> None:
    async def main() -> None:
        loop = own_loop()
        async with ground.pair() as pair:
            await pair.connection.flush()
            receivers = [asyncio.ensure_future(pair.client.receive()) for _ in range(10)]
            await waits(*receivers)
            await until(helpers_rest)
            turns = loop.turns
            await pair.connection.send(b"one")
            assert (await receivers[0]).data == b"one"
            await waits(*receivers[1:])
            assert loop.turns == turns + 1
            for task in receivers[1:]:
                await cancelled(task)

    run(main())


def test_arming_for_one_task_forgets_no_other() -> None:
    """A descriptor may have become ready for a task that the loop has not woken yet, when the next comes to wait."""

    async def main() -> None:
        bell = Bell()
        try:
            ready = Ready(lambda: bell.fd, bell.arm, new_lock())
            first = asyncio.ensure_future(ready.wait())
            await waits(first)
            second = asyncio.ensure_future(ready.wait())
            await asyncio.sleep(0)
            bell.ring()
            await asyncio.wait_for(first, SOON_S)
            await second
            assert bell.armings == 1
        finally:
            bell.close()

    run(main())


def test_tasks_that_come_together_arm_once() -> None:
    async def main() -> None:
        bell = Bell()
        try:
            ready = Ready(lambda: bell.fd, bell.arm, new_lock())
            for armings in (1, 2, 3):
                tasks = [asyncio.ensure_future(ready.wait()) for _ in range(50)]
                await waits(*tasks)
                bell.ring()
                await asyncio.wait_for(asyncio.gather(*tasks), SOON_S)
                assert bell.armings == armings
        finally:
            bell.close()

    run(main())


def test_another_thread_closes_what_is_about_to_be_watched(ground: Ground) -> None:
    """Its number is nobody's then, or another descriptor's."""

    async def main() -> None:
        async with ground.pair() as pair:
            context = pair.client.context
            closing = threading.Thread(target=context.close)
            ready = pair.client._receivable
            get_fd = ready._get_fd

            def close_meanwhile() -> int:
                fd = get_fd()
                closing.start()
                closing.join(0.05)
                return fd

            ready._get_fd = close_meanwhile
            # Who waits is not told that another thread has closed it, who looks just then finds out.
            with pytest.raises((asyncio.TimeoutError, *CLOSED)):
                await asyncio.wait_for(pair.client.receive(), 0.2)
            closing.join()
            ready._get_fd = get_fd
            with pytest.raises(CLOSED):
                await asyncio.wait_for(pair.client.receive(), SOON_S)

    run(main())


def test_out_of_descriptors(ground: Ground) -> None:
    """The descriptor to wait on cannot be had: every task that wanted it hears of it, and may try again."""

    async def main() -> None:
        async with ground.pair() as pair:
            receivers = [asyncio.ensure_future(pair.client.receive()) for _ in range(2)]
            with full_table():
                for task in receivers:
                    with pytest.raises(comch.NoMemory):
                        await task
            waiting = asyncio.ensure_future(pair.client.receive())
            await waits(waiting)
            await pair.connection.send(b"x")
            assert (await waiting).data == b"x"

    run(main())


def test_one_loop_after_another(ground: Ground) -> None:
    async def main() -> None:
        async with ground.serve() as server:
            answering = asyncio.ensure_future(echo(server))
            async with ground.connect() as client:
                await client.send(b"x")
                assert (await client.receive()).data == b"x"
        await answering

    for _ in range(3):
        run(main())


def test_a_context_that_another_thread_closes_while_its_receive_waits(ground: Ground) -> None:
    """The number of its descriptor may soon be that of another client's, which the loop watches on."""

    async def main() -> None:
        async with ground.serve() as server:
            async with joined(ground, server) as closed, joined(ground, server) as other:
                waiting = asyncio.ensure_future(closed.client.receive())
                await waits(waiting)
                number = closed.client.context.recv_fd
                closing = threading.Thread(target=closed.client.context.close)
                closing.start()
                closing.join()
                with lowest_free(number):
                    receiving = asyncio.ensure_future(other.client.receive())
                    await waits(receiving)
                assert other.client.context.recv_fd == number
                await cancelled(waiting)
                await other.connection.send(b"x")
                assert (await receiving).data == b"x"

    run(main())


@asynccontextmanager
async def joined(ground: Ground, server: aio.Server) -> AsyncIterator[Pair]:
    """Another client of the server, which has not received yet."""
    hello = asyncio.ensure_future(server.receive())
    async with ground.connect() as client:
        await client.send(b"hello")
        yield Pair(server, client, (await hello).connection)


@contextmanager
def lowest_free(number: int) -> Iterator[None]:
    """Have the next descriptor be that one."""
    filled = [os.open(os.devnull, os.O_RDONLY)]
    while filled[-1] < number:
        filled.append(os.dup(filled[0]))
    os.close(filled.pop())
    try:
        yield
    finally:
        for fd in filled:
            os.close(fd)
