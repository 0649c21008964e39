"""Send, receive, reply, iterate and flush, from one task and from many."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

import comch_next as comch
from comch_next import aio
from tests.aio.support import Ground, cancelled, echo, fill, run, until, waits
from tests.processes import SOON_S


def test_a_request_and_its_reply(ground: Ground) -> None:
    async def main() -> None:
        async with ground.pair() as pair:
            await pair.client.send(b"question")
            message = await pair.server.receive()
            assert message.data == b"question"
            assert message.connection is pair.connection
            await message.reply(bytearray(b"answer"))
            assert await pair.client.receive() == (b"answer", pair.client.connection)

    run(main())


def test_iteration_ends_when_the_server_leaves(ground: Ground) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            server = await stack.enter_async_context(ground.serve())
            hello = asyncio.ensure_future(server.receive())
            async with ground.connect() as client:
                await client.send(b"?")
                message = await hello
                for number in range(5):
                    await message.reply(b"%d" % number)
                await message.connection.flush()
                await stack.aclose()
                for expected in ([b"0", b"1", b"2", b"3", b"4"], []):
                    assert [each.data async for each in client] == expected
                for call in (client.receive, lambda: client.send(b"x")):
                    with pytest.raises(comch.Shutdown):
                        await call()

    run(main())


def test_a_receive_that_waits_is_woken(ground: Ground) -> None:
    async def main() -> None:
        async with ground.pair() as pair:
            for _ in range(200):
                waiting = asyncio.ensure_future(pair.client.receive())
                await asyncio.sleep(0)
                await pair.connection.send(b"!")
                assert (await waiting).data == b"!"

    run(main())


def test_several_receivers_are_served_in_the_order_of_their_calls(ground: Ground) -> None:
    async def main() -> None:
        async with ground.pair() as pair:
            receivers = [asyncio.ensure_future(pair.client.receive()) for _ in range(200)]
            await waits(*receivers)
            for number in range(200):
                await pair.connection.send(b"%d" % number)
            got = [message.data for message in await asyncio.gather(*receivers)]
            assert got == [b"%d" % number for number in range(200)]

    run(main())


def test_several_senders_are_served_in_the_order_of_their_calls(ground: Ground) -> None:
    sizes = {"recv_queue_size": 2, "send_queue_size": 2}

    async def main() -> None:
        async with ground.pair(**sizes) as pair:
            before = await fill(pair.client.connection)
            senders = [asyncio.ensure_future(pair.client.send(b"%d" % number)) for number in range(200)]
            await waits(*senders)
            got = [(await pair.server.receive()).data for _ in range(before + 200)]
            assert got[before:] == [b"%d" % number for number in range(200)]
            await asyncio.gather(*senders)

    run(main())


def test_send_waits_for_room_and_flush_for_arrival(ground: Ground) -> None:
    sizes = {"recv_queue_size": 4, "send_queue_size": 4}
    count = 500

    async def main() -> None:
        async with ground.pair(**sizes) as pair:

            async def send() -> None:
                for number in range(count):
                    await pair.client.send(b"%d" % number)
                await pair.client.flush()
                assert pair.client.connection.in_flight == 0

            sending = asyncio.ensure_future(send())
            await waits(sending)
            got = [(await pair.server.receive()).data for _ in range(count)]
            assert got == [b"%d" % number for number in range(count)]
            await sending

    run(main())


@pytest.mark.parametrize("form", ["driver"], indirect=True)  # the other has one pool of tasks for all connections
def test_a_full_connection_holds_up_no_other(ground: Ground) -> None:
    """The server's send descriptor is one for all its connections."""

    async def main() -> None:
        async with AsyncExitStack() as stack:
            server = await stack.enter_async_context(ground.serve(send_queue_size=2))
            connections: list[aio.Connection] = []
            clients: list[aio.Client] = []
            for _ in range(3):
                hello = asyncio.ensure_future(server.receive())
                clients.append(await stack.enter_async_context(ground.connect(recv_queue_size=2)))
                await clients[-1].send(b"hello")
                connections.append((await hello).connection)
            sent = [await fill(connection) for connection in connections]
            senders = [asyncio.ensure_future(each.send(b"%d" % at)) for at, each in enumerate(connections)]
            await waits(*senders)
            for at in (1, 2, 0):
                got = [(await clients[at].receive()).data for _ in range(sent[at] + 1)]
                assert got[-1] == b"%d" % at
                await senders.pop(0 if at == 0 else 1)
                if senders:
                    await waits(*senders)

    run(main())


def test_many_clients_in_one_loop(ground: Ground) -> None:
    count, rounds = 30, 20

    async def talk(number: int) -> None:
        async with ground.connect(timeout=SOON_S) as client:
            for turn in range(rounds):
                text = b"%d.%d" % (number, turn)
                await client.send(text)
                assert (await client.receive()).data == text

    async def main() -> None:
        async with ground.serve() as server:
            answering = asyncio.ensure_future(echo(server))
            await asyncio.gather(*map(talk, range(count)))
        await answering

    run(main())


def test_a_task_that_never_waits_lets_others_work(ground: Ground) -> None:
    async def main() -> None:
        async with ground.pair(recv_queue_size=1000, send_queue_size=1000) as pair:
            turns = 0

            async def count() -> None:
                nonlocal turns
                while True:
                    await asyncio.sleep(0)
                    turns += 1

            counting = asyncio.ensure_future(count())
            for number in range(1000):
                await pair.client.send(b"%d" % number)
            sending = turns
            await until(lambda: pair.client.connection.in_flight == 0)
            turns = 0
            for number in range(1000):
                assert (await pair.server.receive()).data == b"%d" % number
            await cancelled(counting)
            assert sending > 10
            assert turns > 10

    run(main())


def test_refusals_are_those_of_the_modern_api(ground: Ground) -> None:
    async def main() -> None:
        async with ground.pair() as pair:
            with pytest.raises(comch.InvalidValue, match="4081") as told:
                await pair.client.send(bytes(4081))
            assert told.value.length == 4081
            with pytest.raises(comch.InvalidValue):
                await pair.client.send("text")  # type: ignore[arg-type]
            await pair.client.send(b"")
            assert (await pair.server.receive()).data == b""
            with pytest.raises(comch.AlreadyExist):
                async with ground.serve():
                    pytest.fail("the name is taken")
            with pytest.raises(comch.InvalidValue):
                async with ground.serve("other", send_queue_size=-1):
                    pytest.fail("no such size")

    run(main())


def test_user_data_stays_with_its_connection(ground: Ground) -> None:
    async def main() -> None:
        async with ground.pair() as pair:
            pair.connection.user_data = "first"
            await pair.client.send(b"again")
            assert (await pair.server.receive()).connection.user_data == "first"
            assert repr(pair.connection) == "<Connection of <Server 'svc'>>"

    run(main())
