"""Coming up does not hold up the loop; giving up, however it comes about, leaves nothing behind."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from tests.aio.support import Ground, Loop, cancelled, run, waits
from tests.processes import SOON_S

# The threaded form's server accepts by itself: here a server that nobody lets progress stands for a slow one.
SLOW = pytest.mark.parametrize("form", ["driver"], indirect=True)


async def up(ground: Ground, reached: list[comch.State], **options: Any) -> None:
    async with ground.connect(**options) as client:
        reached.append(client.context.state)


@SLOW
def test_the_loop_works_while_a_server_lets_wait(ground: Ground) -> None:
    async def main() -> None:
        reached: list[comch.State] = []
        async with ground.serve() as server:
            connecting = asyncio.ensure_future(up(ground, reached))
            await waits(connecting)
            receiving = asyncio.ensure_future(server.receive())
            await connecting
            assert reached == [comch.State.RUNNING]
            await cancelled(receiving)

    run(main())


def test_nobody_listens(ground: Ground) -> None:
    async def main() -> None:
        for timeout in (0, 5.0, None):
            with pytest.raises(comch.ConnectionAborted, match=r"^connect: .*(nobody listens|never came up)"):
                await up(ground, [], timeout=timeout)

    run(main())


def test_what_is_no_time_is_refused(ground: Ground) -> None:
    async def main() -> None:
        bad: Any = "1"
        with pytest.raises(comch.InvalidValue, match="connect takes a timeout of 0 or more seconds, or None, not '1'"):
            await up(ground, [], timeout=bad)

    run(main())


def test_refused(ground: Ground) -> None:
    async def main() -> None:
        async with ground.serve(max_msg_size=100) as server:
            receiving = asyncio.ensure_future(server.receive())
            with pytest.raises(comch.ConnectionAborted):
                await up(ground, [], max_msg_size=200)
            await cancelled(receiving)

    run(main())


@SLOW
@pytest.mark.parametrize("timeout", [0, 0.05])
def test_a_deadline_that_passes(ground: Ground, timeout: float) -> None:
    async def main() -> None:
        async with ground.serve():
            with pytest.raises(comch.TimeOut, match="not accepted within"):
                await up(ground, [], timeout=timeout)

    run(main())


@SLOW
def test_a_connect_that_is_cancelled_leaves_nothing(ground: Ground) -> None:
    """`run` finds descriptors and readers, `ground` finds contexts: they hold the device."""

    async def main() -> None:
        async with ground.serve():
            for turns in range(8):  # at every step of its way
                connecting = asyncio.ensure_future(up(ground, []))
                for _ in range(turns):
                    await asyncio.sleep(0)
                await cancelled(connecting)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(up(ground, [], timeout=SOON_S), 0.05)
            assert len(_watched()) == 0

    run(main())


@SLOW
def test_cancelled_again_while_it_leaves(ground: Ground) -> None:
    async def main() -> None:
        async with ground.serve():
            for turns in range(4):
                connecting = asyncio.ensure_future(up(ground, []))
                await waits(connecting)
                connecting.cancel()
                for _ in range(turns):
                    await asyncio.sleep(0)
                await cancelled(connecting)

    run(main())


def _watched() -> set[int]:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Loop)
    return loop.watched


def test_connected_and_cancelled_in_the_block(ground: Ground) -> None:
    async def main() -> None:
        async with ground.serve() as server:
            receiving = asyncio.ensure_future(server.receive())
            up = asyncio.Event()

            async def stay() -> None:
                async with ground.connect() as client:
                    await client.send(b"hello")
                    up.set()
                    await client.receive()

            staying = asyncio.ensure_future(stay())
            await up.wait()
            connection = (await receiving).connection
            await waits(staying)
            await cancelled(staying)
            receiving = asyncio.ensure_future(server.receive())

            async def ask() -> None:
                while True:
                    await connection.send(b"is it still there?")
                    await asyncio.sleep(0.001)

            with pytest.raises(comch.Shutdown):
                await ask()
            await cancelled(receiving)

    run(main())


def test_the_same_name_again_and_again(ground: Ground, runtime_dir: Path) -> None:
    async def main() -> None:
        for _ in range(10):
            async with ground.pair() as pair:
                await pair.connection.send(b"x")
                assert (await pair.client.receive()).data == b"x"

    run(main())
    assert list(runtime_dir.iterdir()) == []


def test_what_is_raised_in_the_block_comes_out(ground: Ground) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            server = await stack.enter_async_context(ground.serve())
            with pytest.raises(KeyError):
                async with ground.serve("other"):
                    raise KeyError
            assert server.context.state is comch.State.RUNNING

    run(main())
