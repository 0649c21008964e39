"""What is cancelled had no effect: no message is lost, none is sent twice, and all goes on."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from tests.aio.support import Ground, cancelled, fill, own_loop, run, waits
from tests.pull.support import SPINS

asyncio_timeout: Any = vars(asyncio).get("timeout")
ROUNDS = 400
NARROW: dict[str, Any] = {"recv_queue_size": 2, "send_queue_size": 2}


def test_a_receive_that_is_cancelled_takes_nothing(ground: Ground) -> None:
    """The cancellation comes before, with and after the message, in every turn of the loop."""

    async def main() -> None:
        async with ground.pair() as pair:
            taken: list[bytes] = []
            for number in range(ROUNDS):
                receiving = asyncio.ensure_future(pair.client.receive())
                for _ in range(number % 5):
                    await asyncio.sleep(0)
                await pair.connection.send(b"%d" % number)
                for _ in range(number // 5 % 5):
                    await asyncio.sleep(0)
                receiving.cancel()
                await asyncio.wait([receiving])
                if not receiving.cancelled():
                    taken.append(receiving.result().data)
            assert taken, "some were faster than their cancellation"
            assert len(taken) < ROUNDS, "some were not"
            while len(taken) < ROUNDS:
                taken.append((await pair.client.receive()).data)
            assert taken == [b"%d" % number for number in range(ROUNDS)]

    run(main())


def test_a_wait_for_that_gives_up_takes_nothing(ground: Ground) -> None:
    async def main() -> None:
        async with ground.pair() as pair:
            got: list[bytes] = []
            lapses = 0

            async def send() -> None:
                for number in range(ROUNDS):
                    await pair.connection.send(b"%d" % number)
                    await asyncio.sleep(random.random() * 0.001)

            sending = asyncio.ensure_future(send())
            while len(got) < ROUNDS:
                try:
                    got.append((await asyncio.wait_for(pair.client.receive(), 0.0003)).data)
                except asyncio.TimeoutError:
                    lapses += 1
            await sending
            assert got == [b"%d" % number for number in range(ROUNDS)]
            assert lapses

    run(main())


def test_one_of_several_receivers_is_cancelled(ground: Ground) -> None:
    async def main() -> None:
        async with ground.pair() as pair:
            receivers = [asyncio.ensure_future(pair.client.receive()) for _ in range(5)]
            await waits(*receivers)
            await cancelled(receivers.pop(0))
            await cancelled(receivers.pop(2))
            for number in range(3):
                await pair.connection.send(b"%d" % number)
            got = [message.data for message in await asyncio.gather(*receivers)]
            assert got == [b"0", b"1", b"2"]

    run(main())


def test_a_send_that_is_cancelled_has_no_effect(ground: Ground) -> None:
    async def main() -> None:
        async with ground.pair(**NARROW) as pair:
            accepted = [b"%08d" % number for number in range(await fill(pair.client.connection))]
            got: list[bytes] = []
            for number in range(ROUNDS):
                text = b"number %d" % number
                sending = asyncio.ensure_future(pair.client.send(text))
                for _ in range(number % 6):
                    await asyncio.sleep(0)
                if number % 3:
                    got.append((await pair.server.receive()).data)
                for _ in range(number // 6 % 6):
                    await asyncio.sleep(0)
                sending.cancel()
                await asyncio.wait([sending])
                if not sending.cancelled():
                    accepted.append(text)
            assert 0 < len([text for text in accepted if text.startswith(b"number")]) < ROUNDS
            while len(got) < len(accepted):
                got.append((await pair.server.receive()).data)
            assert got == accepted
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(pair.server.receive(), 0.02)

    run(main())


@pytest.mark.parametrize("form", ["driver"], indirect=True)  # the other has one pool of tasks for all connections
def test_a_broadcast_that_is_cancelled_has_reached_those_who_had_room(ground: Ground) -> None:
    """Unlike a send; who had none is not sent the message later."""

    async def main() -> None:
        async with ground.pair(send_queue_size=2, recv_queue_size=2) as pair:
            hello = asyncio.ensure_future(pair.server.receive())
            async with ground.connect() as other:
                await other.send(b"hello")
                await hello
                before = await fill(pair.connection)
                broadcast = asyncio.ensure_future(pair.server.broadcast(b"news"))
                assert (await other.receive()).data == b"news"
                await waits(broadcast)
                await cancelled(broadcast)
                for _ in range(before):
                    assert (await pair.client.receive()).data != b"news"
                await pair.connection.send(b"next")
                assert (await pair.client.receive()).data == b"next"

    run(main())


def test_one_of_several_senders_is_cancelled(ground: Ground) -> None:
    async def main() -> None:
        async with ground.pair(**NARROW) as pair:
            before = await fill(pair.client.connection)
            senders = [asyncio.ensure_future(pair.client.send(b"%d" % number)) for number in range(5)]
            await waits(*senders)
            await cancelled(senders.pop(0))
            await cancelled(senders.pop(2))
            got = [(await pair.server.receive()).data for _ in range(before + 3)]
            assert got[before:] == [b"1", b"2", b"4"]
            await asyncio.gather(*senders)

    run(main())


@pytest.mark.parametrize("form", ["driver"], indirect=True)  # the other has one pool of tasks for all connections
def test_a_send_that_was_given_up_rouses_nobody(ground: Ground) -> None:
    """There is room for it later, which is no news for a send that waits for another connection."""

    async def main() -> None:
        loop = own_loop()
        async with ground.pair(**NARROW) as pair:
            hello = asyncio.ensure_future(pair.server.receive())
            async with ground.connect(**NARROW) as other:
                await other.send(b"hello")
                connection = (await hello).connection
                assert await fill(pair.connection)
                before = await fill(connection)
                sending = asyncio.ensure_future(connection.send(b"last"))
                await waits(sending)
                assert (await pair.client.receive()).data == b"%08d" % 0
                turns = loop.turns
                await asyncio.wait([sending], timeout=0.4)
                assert loop.turns < turns + SPINS
                assert not sending.done()
                got = [(await other.receive()).data for _ in range(before + 1)]
                assert got[-1] == b"last"
                await sending

    run(main())


@pytest.mark.skipif(asyncio_timeout is None, reason="asyncio.timeout came with Python 3.11")
def test_asyncio_timeout(ground: Ground) -> None:
    async def main() -> None:
        async with ground.pair(**NARROW) as pair:

            async def iterate() -> None:
                async for message in pair.client:
                    pytest.fail(f"nobody sent {message}")

            async def flood() -> None:
                while True:
                    await pair.client.send(b"x")

            for work in (pair.client.receive, iterate, flood):
                with pytest.raises(TimeoutError):
                    async with asyncio_timeout(0.1):
                        await work()
            await pair.connection.send(b"later")
            assert (await pair.client.receive()).data == b"later"

    run(main())


def test_a_time_out_ends_a_flood(ground: Ground) -> None:
    """Nobody has to wait here, and yet the time comes."""

    async def main() -> None:
        async with ground.pair() as pair:

            async def flood() -> None:
                while True:
                    await pair.connection.send(b"x")
                    await pair.client.receive()

            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(flood(), 0.05)
            await pair.connection.send(b"last")
            left = [(await pair.client.receive()).data]
            if left == [b"x"]:  # it was sent when the time came
                left.append((await pair.client.receive()).data)
            assert left[-1] == b"last"

    run(main())
