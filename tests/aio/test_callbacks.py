"""What callbacks of the program raise on an engine of aio: the loop reports it, and no call takes it for its own."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import comch_next as comch
from comch_next import aio
from tests.aio.support import Ground, own_loop, run, until, waits
from tests.fast_path.lane import Inbox, Outbox
from tests.processes import StartPython
from tests.pull.support import PEER

KINDS = [LookupError, comch.NotConnected, comch.Shutdown, comch.ConnectionReset]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def error(request: pytest.FixtureRequest) -> Exception:
    """What the callback raises: an exception of the program, or one that aio's own calls may raise."""
    return request.param("the program's own")  # type: ignore[no-any-return]


def reports() -> list[dict[str, Any]]:
    """What the running loop reports from now on."""
    reported: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    return reported


def failing_consumer(connection: aio.Connection, memory: comch.Mmap, error: Exception) -> comch.Consumer:
    """On the engine of the connection's side, whose progress raises when it runs."""
    consumer = comch.Consumer(connection.connection, memory)
    consumer.task_post_recv_set_conf(comch.PostRecvTask.free, comch.PostRecvTask.free, 1)

    def moved(_context: object, _old: comch.State, new: comch.State) -> None:
        if new is comch.State.RUNNING:
            raise error

    consumer.set_state_changed_cb(moved)
    consumer.start()
    return consumer


def test_a_client_receives_on(ground: Ground, error: Exception) -> None:
    async def main() -> None:
        reported = reports()
        async with ground.pair(streams=True) as pair:
            with comch.Mmap(ground.host, 8, comch.AccessFlag.PCI_READ_WRITE) as memory:
                there = asyncio.ensure_future(pair.server.receive())
                receiving = asyncio.ensure_future(pair.client.receive())
                consumer = failing_consumer(pair.client.connection, memory, error)
                await until(lambda: reported or pair.client.connection.closed)
                await pair.connection.send(b"x")
                assert (await receiving).data == b"x"
                await pair.client.send(b"y")
                assert (await there).data == b"y"
                consumer.close()
        check(reported, error, "Client 'svc'")

    run(main())


def test_a_server_serves_on(ground: Ground, error: Exception) -> None:
    async def main() -> None:
        reported = reports()

        async def echo(connection: aio.Connection) -> None:
            with comch.Mmap(ground.dpu, 8, comch.AccessFlag.PCI_READ_WRITE) as memory:
                consumer = failing_consumer(connection, memory, error)
                try:
                    async for message in connection:
                        await message.reply(message.data)
                finally:
                    consumer.close()

        async with ground.serve(handler=echo, streams=True) as server, ground.connect(streams=True) as client:
            asking = asyncio.ensure_future(client.receive())
            while not reported:
                server.context.engine.progress()  # which raises nothing either
                await asyncio.sleep(0)
            await client.send(b"x")
            assert (await asking).data == b"x"
        check(reported, error, "Server 'svc'")

    run(main())


def test_the_loop_drives_consumers_and_producers(ground: Ground) -> None:
    """From start to the last callback; once they are closed, only what waits is watched."""

    async def main() -> None:
        async with ground.pair(streams=True) as pair:
            outbox = Outbox(pair.client.connection.connection, ground.host)
            inbox = Inbox(pair.connection.connection, ground.dpu)
            outbox.producer.start()
            inbox.consumer.start()
            await until(lambda: inbox.consumer.state is comch.State.RUNNING)
            inbox.post(2)
            for _ in range(2):
                await until(lambda: sent(outbox, inbox.consumer.id))
                await until(lambda: inbox.received and not outbox.producer.num_inflight_tasks)
                inbox.received.clear()
            inbox.consumer.close()
            outbox.producer.close()
            inbox.close()
            outbox.close()
            await pair.client.send(b"x")  # which wakes whatever still looks at the engine
            await pair.server.receive()
            await pair.connection.send(b"y")
            await pair.client.receive()
            await until(lambda: not own_loop().watched)

    run(main())


def sent(outbox: Outbox, consumer_id: int) -> bool:
    """Send, unless the consumer is not known yet."""
    try:
        outbox.send(consumer_id, b"x")
    except comch.InvalidValue:
        return False
    return True


def test_the_end_of_the_block_ends_what_drives_them(ground: Ground) -> None:
    async def main() -> None:
        async with ground.pair(streams=True) as pair:
            outbox = Outbox(pair.client.connection.connection, ground.host)
            outbox.producer.start()
            await asyncio.sleep(0)
            outbox.producer.stop()
            outbox.close()

    run(main())


LOST = [
    pytest.param("left", aio.Server.messages, id="a client that leaves"),
    pytest.param("died", aio.Server.messages, id="a client that dies"),
    pytest.param("left", aio.Server.__anext__, id="a receive in the body of the loop"),
]


@pytest.mark.parametrize(("end", "call"), LOST)
@pytest.mark.parametrize("kind", [*KINDS, comch.Again])
@pytest.mark.parametrize("about", ["its own", "another"])
def test_what_on_lost_raises_comes_out_as_it_is(
    ground: Ground, start_python: StartPython, about: str, kind: type[Exception], end: str, call: Any
) -> None:
    """Whatever connection it is about, also where the loop ends or goes on for an error of that kind."""
    raised: list[Any] = []

    async def main() -> None:
        async with ground.pair(name="other") as pair, ground.serve() as server:
            other = pair.client.connection.connection

            def on_lost(connection: aio.Connection, _: comch.DocaError) -> None:
                error: Any = kind("the program's own")
                error.connection = connection.connection if about == "its own" else other
                raised.append(error)
                raise error

            loop = server.messages(on_lost)
            hello = asyncio.ensure_future(anext(loop))
            child = start_python("-c", PEER)
            child.say("send hello\n")
            await hello
            receiving = asyncio.ensure_future(anext(loop) if call is aio.Server.messages else call(server))
            await waits(receiving)
            child.kill() if end == "died" else child.say("leave\n")
            await asyncio.wait([receiving])
            await loop.aclose()
            assert raised == [receiving.exception()]
            error = raised.pop()
            assert isinstance(error.connection, comch.Connection)
            assert other.user_data is pair.client.connection
            error.with_traceback(None)  # whose frames have the engine

    run(main())


@pytest.mark.parametrize("kind", [*KINDS, comch.BadState])
def test_what_is_raised_when_the_last_stop_reports_it_comes_out_of_the_block(
    ground: Ground, kind: type[Exception]
) -> None:
    """As of any stop; also where leaving expects an error of that kind, of a context that is IDLE already."""
    error = kind("the program's own")

    def moved(_context: object, _old: comch.State, new: comch.State) -> None:
        if new is comch.State.STOPPING:
            raise error

    async def main() -> None:
        async with ground.serve(handler=aio.Connection.wait_closed):
            with pytest.raises(kind) as caught:
                async with ground.connect() as client:
                    client.context.set_state_changed_cb(moved)
            assert caught.value is error
            error.with_traceback(None)  # whose frames have the engine

    run(main())


def check(reported: list[dict[str, Any]], error: Exception, name: str) -> None:
    (context,) = reported
    assert context["exception"] is error
    error.with_traceback(None)  # whose frames have the engine
    assert f"a callback on the engine of <{name}>" in context["message"]
