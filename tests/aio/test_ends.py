"""One side leaves, dies, drops the other, or loses its name: who hears of it, and how often."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next import aio
from tests.aio.support import Ground, Loop, echo, fill, own_loop, run, until, waits
from tests.processes import SOON_S, StartPython
from tests.pull.support import PEER, SPINS

SERVER = """
import os, signal, sys
import comch_next as comch
with comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc", recv_queue_size=4) as server:
    print("ready", flush=True)
    message = server.receive(timeout=60)
    for number in range(3):
        message.reply(b"%d" % number)
    message.connection.flush(timeout=60)
    print("replied", flush=True)
    signal.pause()
"""


NARROW: dict[str, Any] = {"recv_queue_size": 2, "send_queue_size": 2}


async def _read_all(side: aio.Client | aio.Server, got: list[bytes] | None = None) -> None:
    async for message in side:
        if got is not None:
            got.append(message.data)


def test_a_server_that_dies_is_told_once(ground: Ground, start_python: StartPython) -> None:
    child = start_python("-c", SERVER, env={"COMCH_PULL": "driver"})  # which takes no message that it does not receive
    child.wait_for("ready")

    async def main() -> None:
        async with ground.connect() as client:
            await client.send(b"x")
            child.wait_for("replied")
            blocked = await fill(client.connection)
            assert blocked
            sending = asyncio.ensure_future(client.send(b"never accepted"))
            await waits(sending)
            child.kill()
            got = [(await client.receive()).data for _ in range(3)]
            assert got == [b"0", b"1", b"2"]
            receivers = [asyncio.ensure_future(client.receive()) for _ in range(3)]
            await asyncio.wait(receivers)
            told = [receiver.exception() for receiver in receivers]
            assert [type(each) for each in told] == [comch.ConnectionReset, comch.NotConnected, comch.NotConnected]
            assert isinstance(told[0], comch.ConnectionReset)
            assert told[0].connection is client.connection
            with pytest.raises(comch.ConnectionReset):
                await sending
            with pytest.raises(comch.ConnectionReset):
                await client.send(b"x")
            assert [each async for each in client] == []

    run(main())


def test_iteration_tells_of_a_death(ground: Ground, start_python: StartPython) -> None:
    child = start_python("-c", SERVER)
    child.wait_for("ready")
    got: list[bytes] = []

    async def main() -> None:
        async with ground.connect() as client:
            await client.send(b"x")

            reading = asyncio.ensure_future(_read_all(client, got))
            await until(lambda: len(got) == 3)
            child.kill()
            with pytest.raises(comch.ConnectionReset):
                await reading

    run(main())


def test_a_server_names_the_client_that_died_and_goes_on(ground: Ground, start_python: StartPython) -> None:
    async def main() -> None:
        async with ground.serve() as server:
            child = start_python("-c", PEER)
            child.say("send one\nsend two\n")
            first = await server.receive()
            assert first.data == b"one"
            assert (await server.receive()).connection is first.connection
            child.kill()
            with pytest.raises(comch.ConnectionReset) as told:
                await server.receive()
            assert told.value.connection is first.connection
            with pytest.raises(comch.ConnectionReset):
                await first.connection.send(b"x")
            assert await first.reply(b"x") is False
            answering = asyncio.ensure_future(echo(server))
            async with ground.connect() as client:
                await client.send(b"next")
                assert (await client.receive()).data == b"next"
        await answering

    run(main())


def test_a_reply_to_a_client_that_was_disconnected(ground: Ground) -> None:
    async def main() -> None:
        async with ground.serve() as server:
            hello = asyncio.ensure_future(server.receive())
            async with ground.connect() as client:
                await client.send(b"hello")
                message = await hello
                server.disconnect(message.connection)
                assert await message.reply(b"x") is False
        with pytest.raises(comch.NotConnected):
            await message.reply(b"x")

    run(main())


@pytest.mark.parametrize("who", ["client", "server"])
def test_who_waits_when_the_block_is_left_hears_of_it(ground: Ground, who: str) -> None:
    async def main() -> None:
        async with AsyncExitStack() as servers, AsyncExitStack() as clients:
            server = await servers.enter_async_context(ground.serve(**NARROW))
            hello = asyncio.ensure_future(server.receive())
            client = await clients.enter_async_context(ground.connect(**NARROW))
            await client.send(b"hello")
            side: aio.Client | aio.Server = client if who == "client" else server
            theirs = (await hello).connection
            connection = client.connection if who == "client" else theirs
            await fill(connection)
            calls = (side.receive(), side.receive(), connection.send(b"x"), connection.send(b"x"), connection.flush())
            waiting = [asyncio.ensure_future(call) for call in calls]
            await waits(*waiting)
            await (clients if who == "client" else servers).aclose()
            for call in (*waiting, side.receive(), connection.send(b"x"), connection.flush()):
                with pytest.raises(comch.NotConnected, match="has been left"):
                    await call
            assert [each async for each in side] == []

    run(main())


def test_a_reader_beside_the_block_ends_with_it(ground: Ground) -> None:
    async def main() -> None:
        got: list[bytes] = []
        async with ground.pair() as pair:
            readers = [asyncio.ensure_future(_read_all(side, got)) for side in (pair.client, pair.server)]
            await pair.client.send(b"x")
            await until(lambda: got)
            await waits(*readers)
        await asyncio.gather(*readers)
        assert got == [b"x"]

    run(main())


def test_a_server_drops_one_client(ground: Ground) -> None:
    async def main() -> None:
        async with ground.pair(**NARROW) as pair:
            await fill(pair.connection)
            sending = asyncio.ensure_future(pair.connection.send(b"x"))
            await waits(sending)
            pair.server.disconnect(pair.connection)
            with pytest.raises(comch.NotConnected):
                await sending
            receiving = asyncio.ensure_future(pair.server.receive())
            await asyncio.wait_for(_read_all(pair.client), SOON_S)
            with pytest.raises(comch.Shutdown):
                await pair.client.send(b"x")
            async with ground.connect() as other:
                await other.send(b"still here")
                assert (await receiving).data == b"still here"

    run(main())


def test_a_server_that_lost_its_name_says_so_and_does_not_spin(ground: Ground, runtime_dir: Path) -> None:
    async def main() -> None:
        async with ground.pair() as pair:
            waiting = [
                asyncio.ensure_future(pair.server.receive()),
                asyncio.ensure_future(pair.server.receive()),
            ]
            await waits(*waiting)
            for path in runtime_dir.glob("*.sock"):
                path.unlink()
            for task in waiting:
                with pytest.raises(comch.ConnectionReset):
                    await task
            with pytest.raises(comch.ConnectionReset):
                await pair.connection.send(b"x")
            with pytest.raises(comch.ConnectionReset):
                await _read_all(pair.server)
            with pytest.raises(comch.Shutdown):
                await pair.client.receive()
            assert own_loop().turns < 5 * SPINS

    run(main())


def test_flush_tells_what_was_lost(ground: Ground, start_python: StartPython) -> None:
    child = start_python("-c", SERVER)
    child.wait_for("ready")

    async def main() -> None:
        async with ground.connect() as client:
            await client.send(b"x")
            child.wait_for("replied")
            await fill(client.connection)
            flushing = asyncio.ensure_future(client.flush())
            await waits(flushing)
            child.kill()
            with pytest.raises(comch.ConnectionReset, match="did not arrive"):
                await flushing

    run(main())


def test_blocks_that_are_never_left_end_with_the_loop(ground: Ground) -> None:
    """Entered by hand; a loop that ends closes all generators at once, those that lie within others, too."""
    sides: list[aio.Client | aio.Server] = []

    async def enter(blocks: list[AbstractAsyncContextManager[Any]]) -> None:
        blocks += ground.serve(handler=aio.Connection.wait_closed), ground.connect()
        for block in blocks:
            sides.append(await block.__aenter__())

    blocks: list[AbstractAsyncContextManager[Any]] = []
    loop = Loop()
    try:
        loop.run_until_complete(enter(blocks))
        loop.run_until_complete(loop.shutdown_asyncgens())
        assert loop.reported == []
        assert [side.context.state for side in sides] == [comch.State.IDLE] * 2
        assert loop.watched == set()
    finally:
        loop.close()
