"""`closed`, `wait_closed` and `reason` of a connection; `broadcast`; `connect(wait_for_server=True)`."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest

import comch_next as comch
from comch_next import aio
from comch_next.aio import _client
from comch_next.aio._client import Client
from tests.aio.support import Ground, cancelled, run, until, waits
from tests.processes import SOON_S, StartPython

SERVER = """
import comch_next as comch
with comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc") as server:
    print("ready", flush=True)
    server.receive(timeout=60).reply(b"last")
    for message in server:
        pass
"""


def test_the_peer_leaves(ground: Ground) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            pair = await stack.enter_async_context(ground.pair())
            here, there = pair.client.connection, pair.connection
            assert (here.closed, there.closed, here.reason) == (False, False, None)
            closing = asyncio.ensure_future(here.wait_closed())
            await waits(closing)
            pair.server.disconnect(there)
            await closing
            assert here.closed
            assert isinstance(here.reason, comch.Shutdown)
            assert here.reason.connection is here
            assert isinstance(there.reason, comch.NotConnected)

    run(main())


def test_the_peer_dies_with_a_message_unread(ground: Ground, start_python: StartPython) -> None:
    child = start_python("-c", SERVER)
    child.wait_for("ready")

    async def main() -> None:
        async with ground.connect() as client:
            await client.send(b"x")
            assert (await client.receive()).data == b"last"
            child.kill()
            await client.connection.wait_closed()
            assert isinstance(client.connection.reason, comch.ConnectionReset)
            with pytest.raises(comch.ConnectionReset):
                await client.connection.receive()

    run(main())


def test_this_side_leaves(ground: Ground) -> None:
    async def main() -> None:
        async with ground.pair() as pair:
            connection = pair.client.connection
            waiting = asyncio.ensure_future(connection.wait_closed())
            await waits(waiting)
            await cancelled(waiting)
        assert connection.closed
        assert isinstance(connection.reason, comch.NotConnected)
        await connection.wait_closed()

    run(main())


@pytest.mark.parametrize("asked", [True, False])
def test_an_end_of_the_clients_side_does_not_replace_an_earlier_one(ground: Ground, asked: bool) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            server = await stack.enter_async_context(ground.serve())
            hello = asyncio.ensure_future(server.receive())
            async with ground.connect() as client:
                await client.send(b"hello")
                await hello
                receiving = asyncio.ensure_future(client.receive())
                await waits(receiving)
                await stack.aclose()
                with pytest.raises(comch.Shutdown):
                    await receiving
                assert not asked or isinstance(client.connection.reason, comch.Shutdown)
        assert isinstance(client.connection.reason, comch.Shutdown)
        assert client.connection.closed

    run(main())


@pytest.mark.parametrize("asked", [True, False])
@pytest.mark.parametrize("way", ["disconnects", "leaves"])
def test_an_end_of_the_servers_side_does_not_replace_an_earlier_one(ground: Ground, way: str, asked: bool) -> None:
    lost: list[aio.Connection] = []

    async def main() -> None:
        async with ground.serve() as server:
            loop = server.messages(lambda connection, _: lost.append(connection))
            hello = asyncio.ensure_future(anext(loop))
            async with ground.connect() as client:
                await client.send(b"hello")
                connection = (await hello).connection
            receiving = asyncio.ensure_future(anext(loop))
            await until(lambda: lost)
            await cancelled(receiving)
            assert not asked or isinstance(connection.reason, comch.Shutdown)
            if way == "disconnects":
                server.disconnect(connection)
                assert isinstance(connection.reason, comch.Shutdown)
        assert isinstance(connection.reason, comch.Shutdown)

    run(main())


def test_broadcast_reaches_all_who_are_there(ground: Ground) -> None:
    async def main() -> None:
        async with ground.serve(max_msg_size=100) as server, AsyncExitStack() as stack:
            assert await server.broadcast(b"nobody") == 0
            clients = []
            for _ in range(3):
                accepting = asyncio.ensure_future(server.receive())
                clients.append(await stack.enter_async_context(ground.connect()))
                await clients[-1].send(b"hello")
                await accepting
            assert await server.broadcast(b"all") == 3
            assert [(await client.receive()).data for client in clients] == [b"all"] * 3
            server.disconnect(server.connections[0])
            assert await server.broadcast(b"rest") == 2
            assert [(await client.receive()).data for client in clients[1:]] == [b"rest"] * 2
            with pytest.raises(comch.InvalidValue):
                await server.broadcast(bytes(101))

    run(main())


def test_a_server_that_comes_later_is_waited_for(ground: Ground) -> None:
    async def main() -> None:
        async def up() -> bytes:
            async with ground.connect(wait_for_server=True, timeout=None) as client:
                await client.send(b"x")
                return (await client.receive()).data

        asking = asyncio.ensure_future(up())
        await waits(asking)
        async with ground.serve() as server:
            await (await server.receive()).reply(b"late")
            assert await asking == b"late"

    run(main())


@pytest.mark.parametrize("timeout", [0, 0.12])
def test_a_server_that_never_comes(ground: Ground, timeout: float) -> None:
    async def main() -> None:
        with pytest.raises(
            comch.TimeOut, match=r"was not accepted within .* s: connect: .*(nobody listens|never came)"
        ):
            async with ground.connect(wait_for_server=True, timeout=timeout):
                pass

    run(main())


@pytest.mark.parametrize("form", ["driver"], indirect=True)  # the threaded form's server accepts by itself
def test_the_last_refusal_is_known_where_the_next_attempt_has_no_answer(ground: Ground) -> None:
    async def main() -> None:
        async def up() -> None:
            with pytest.raises(comch.TimeOut, match=r"was not accepted within 0\.2 s: connect: .*nobody listens"):
                async with ground.connect(wait_for_server=True, timeout=0.2):
                    pass

        asking = asyncio.ensure_future(up())
        await waits(asking)
        async with ground.serve():
            await asking

    run(main())


def test_the_loop_goes_on_while_a_server_is_waited_for(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it is until the server is asked for again."""
    dialled = []
    dial = Client._dial

    async def noted(client: Client, *arguments: Any) -> aio.Connection:
        dialled.append(client)
        return await dial(client, *arguments)

    async def main() -> None:
        async def up() -> None:
            async with ground.connect(wait_for_server=True, timeout=None):
                pass

        waiting = asyncio.ensure_future(up())
        for _ in range(100):
            await asyncio.sleep(0)
        assert len(dialled) == 1
        await cancelled(waiting)

    monkeypatch.setattr(_client, "_REDIAL_S", SOON_S)
    monkeypatch.setattr(Client, "_dial", noted)
    run(main())


def test_waiting_for_a_server_can_be_cancelled(ground: Ground) -> None:
    async def main() -> None:
        async def up() -> None:
            async with ground.connect(wait_for_server=True, timeout=None):
                pass

        waiting = asyncio.ensure_future(up())
        await waits(waiting)
        await cancelled(waiting)

    run(main())
