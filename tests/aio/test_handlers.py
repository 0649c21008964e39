"""A server with a handler: a task for each client, which ends with it, and whose failures are its own."""

from __future__ import annotations

import asyncio
import builtins
import itertools
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from types import coroutine as coroutine_of_generator
from typing import Any

import pytest

import comch_next as comch
from comch_next import aio
from tests.aio.support import Ground, cancelled, fill, run, until, waits
from tests.processes import SOON_S, StartPython
from tests.pull.support import until as until_now

CLIENT = """
import comch_next as comch, contextlib, signal
with contextlib.closing(comch.Client(comch.open_device("b1:00.0"), "svc")) as client:
    client.connect(timeout=60)
    client.connection.send(b"here")
    client.connection.flush(timeout=60)
    signal.pause()
"""


GROUP: Any = getattr(builtins, "ExceptionGroup", None)
NEEDS_GROUPS = pytest.mark.skipif(GROUP is None, reason="Python 3.10 has no groups of exceptions")


async def echo(connection: aio.Connection) -> None:
    async for message in connection:
        await connection.send(message.data)


def serving(ground: Ground, handler: Any, **options: Any) -> AbstractAsyncContextManager[aio.Server]:
    return aio.serve(ground.dpu, "b1:00.0", "svc", handler, **options)


@asynccontextmanager
async def clients(ground: Ground, count: int) -> AsyncIterator[list[aio.Client]]:
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(ground.connect()) for _ in range(count)]


def test_each_client_has_a_task(ground: Ground) -> None:
    async def main() -> None:
        async with serving(ground, echo) as server, clients(ground, 3) as some:
            for number, client in enumerate(some):
                for turn in range(3):
                    await client.send(b"%d %d" % (number, turn))
            for number, client in enumerate(some):
                got = [(await client.receive()).data for _ in range(3)]
                assert got == [b"%d %d" % (number, turn) for turn in range(3)]
            assert len(server.connections) == 3

    run(main())


def test_a_handler_begins_when_its_client_connects(ground: Ground) -> None:
    async def greet(connection: aio.Connection) -> None:
        await connection.send(b"welcome")

    async def main() -> None:
        async with serving(ground, greet), ground.connect() as client:
            assert [message.data async for message in client.connection] == [b"welcome"]
            assert isinstance(client.connection.reason, comch.Shutdown)

    run(main())


def at_once(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
    """Begin a task with its first step, as asyncio.eager_task_factory of Python 3.12."""
    pause = coroutine.send(None)

    @coroutine_of_generator
    def rest() -> Any:
        nonlocal pause
        while True:
            try:
                step, value = coroutine.send, (yield pause)
            except BaseException as error:
                step, value = coroutine.throw, error
            try:
                pause = step(value)
            except StopIteration as end:
                return end.value

    return asyncio.Task(rest(), loop=loop, **options)


def test_a_handler_begins_where_tasks_begin_at_once(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also that of a client which is accepted in the first step of all."""
    begun: list[aio.Connection] = []
    clients: list[comch.Client] = []
    listen = comch.Server.listen

    def listen_until_one_waits(server: comch.Server) -> None:
        listen(server)
        clients.append(comch.Client(ground.host, "svc"))
        clients[0].connect(timeout=0)
        until_now(lambda: server.port is not None and (server.port.pending or server.port.connections))

    async def note(connection: aio.Connection) -> None:
        begun.append(connection)
        await connection.wait_closed()

    async def main() -> None:
        asyncio.get_running_loop().set_task_factory(getattr(asyncio, "eager_task_factory", at_once))
        async with serving(ground, note):
            await until(lambda: begun)
            clients.pop().close()

    monkeypatch.setattr(comch.Server, "listen", listen_until_one_waits)
    run(main())


def test_a_handler_begins_while_another_client_keeps_the_server_busy(ground: Ground) -> None:
    """It sends another message for each that is taken, and more are on the way than wait for its handler."""
    most, taken = 20_000, itertools.count()
    begun: list[int] = []

    async def main() -> None:
        async def circulate(connection: aio.Connection) -> None:
            begun.append(next(taken))
            async for _ in connection:
                if len(begun) == 1 and next(taken) < most:
                    await first.send(b"x")

        wide: dict[str, Any] = {"recv_queue_size": 128, "send_queue_size": 128}
        async with serving(ground, circulate, **wide), ground.connect(**wide) as first:
            for _ in range(128):
                await first.send(b"x")
            async with ground.connect(**wide):
                await until(lambda: len(begun) == 2)

    run(main())
    assert begun[1] < most


def test_what_a_handler_has_sent_arrives_before_its_client_is_left(ground: Ground) -> None:
    async def much(connection: aio.Connection) -> None:
        for number in range(20):
            await connection.send(b"%d" % number)

    async def main() -> None:
        narrow: dict[str, Any] = {"recv_queue_size": 2, "send_queue_size": 32}
        async with serving(ground, much, **narrow), ground.connect(**narrow) as client:
            assert [int(message.data) async for message in client] == list(range(20))

    run(main())


def test_a_client_that_leaves_ends_its_iteration(ground: Ground) -> None:
    ended: list[Any] = []

    async def note(connection: aio.Connection) -> None:
        got = [message.data async for message in connection]
        ended.append((got, connection.reason))

    async def main() -> None:
        async with serving(ground, note):
            async with ground.connect() as client:
                await client.send(b"x")
                await client.flush()
            await until(lambda: ended)
        ((got, reason),) = ended
        assert got == [b"x"]
        assert isinstance(reason, comch.Shutdown)

    run(main())


def test_a_client_that_dies(ground: Ground, start_python: StartPython) -> None:
    """Its handler gets ConnectionReset, which nobody need handle; the others are served on."""
    got: list[bytes] = []
    errors: list[BaseException] = []

    async def read(connection: aio.Connection) -> None:
        try:
            async for message in connection:
                got.append(message.data)
                await connection.send(message.data)
        except comch.DocaError as error:
            errors.append(error)
            raise

    async def main() -> None:
        async with serving(ground, read), ground.connect() as client:
            child = start_python("-c", CLIENT)
            await until(lambda: got)
            child.kill()
            await until(lambda: errors)
            await client.send(b"still")
            assert (await client.receive()).data == b"still"

    run(main())
    assert [type(error) for error in errors] == [comch.ConnectionReset]


def test_an_exception_of_a_handler_is_reported_and_ends_its_connection_only(ground: Ground) -> None:
    reported: list[dict[str, Any]] = []

    async def fragile(connection: aio.Connection) -> None:
        async for message in connection:
            await connection.send(b"%d" % (1 // int(message.data)))

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context))
        async with serving(ground, fragile), clients(ground, 2) as (one, other):
            await one.send(b"0")
            await one.connection.wait_closed()
            assert isinstance(one.connection.reason, comch.Shutdown)
            await other.send(b"1")
            assert (await other.receive()).data == b"1"

    run(main())
    (context,) = reported
    assert isinstance(context["exception"], ZeroDivisionError)
    assert "the handler of" in context["message"]


def test_leaving_cancels_handlers_and_waits_for_them(ground: Ground) -> None:
    begun: list[aio.Connection] = []
    ends: list[str] = []

    async def patient(connection: aio.Connection) -> None:
        begun.append(connection)
        try:
            await connection.receive()
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            ends.append("cancelled")
            raise

    async def main() -> None:
        async with clients_of(ground, patient) as client:
            await client.connection.wait_closed()
        assert ends == ["cancelled"]

    @asynccontextmanager
    async def clients_of(ground: Ground, handler: Any) -> AsyncIterator[aio.Client]:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(serving(ground, handler))
            async with ground.connect() as client:
                await until(lambda: begun)
                await stack.aclose()
                yield client

    run(main())


def test_a_slow_handler_holds_a_bounded_number_of_messages(ground: Ground) -> None:
    go = asyncio.Event
    taken: list[bytes] = []

    async def main() -> None:
        begin = go()

        async def slow(connection: aio.Connection) -> None:
            await begin.wait()
            async for message in connection:
                taken.append(message.data)

        options: dict[str, Any] = {"recv_queue_size": 8, "send_queue_size": 8}
        async with serving(ground, slow, **options), ground.connect(**options) as client:
            sending = asyncio.ensure_future(send_all(client))
            await waits(sending)
            begin.set()
            await sending
            await until(lambda: len(taken) == 400)
        assert taken == [b"%d" % number for number in range(400)]

    async def send_all(client: aio.Client) -> None:
        for number in range(400):
            await client.send(b"%d" % number)

    run(main())


def test_a_handler_that_ends_drops_what_it_has_not_taken(ground: Ground) -> None:
    """So that it does not hold the others up."""

    async def hasty(connection: aio.Connection) -> None:
        await connection.receive()

    async def main() -> None:
        async with serving(ground, hasty), clients(ground, 2) as (one, other):
            with pytest.raises(comch.Shutdown):
                await send_on(one)
            await other.send(b"x")
            await other.connection.wait_closed()

    run(main())


def test_a_handler_that_ends_while_its_peer_does_not_read(ground: Ground) -> None:
    """What it has sent waits for that, and the server receives what comes from there and from others."""

    filled: list[int] = []

    async def hasty(connection: aio.Connection) -> None:
        if (await connection.receive()).data == b"fill":
            filled.append(await fill(connection))
        else:
            await connection.send(b"pong")

    async def main() -> None:
        narrow: dict[str, Any] = {"recv_queue_size": 4, "send_queue_size": 4}
        async with serving(ground, hasty, **narrow), ground.connect(**narrow) as deaf:
            await deaf.send(b"fill")
            await until(lambda: filled)
            with suppress(comch.Shutdown):  # with a helper thread, which reads for it when it waits to send
                for _ in range(200):
                    await deaf.send(b"x")
            async with ground.connect() as other:
                await other.send(b"ping")
                assert (await other.receive()).data == b"pong"

    run(main())


def test_a_receive_of_another_task_ends_with_the_connection(ground: Ground) -> None:
    """Whoever leaves it on this side: a task of the program, the handler by its end, or the server's block."""
    tasks: list[asyncio.Task[Any]] = []
    begun: list[aio.Connection] = []
    going: list[asyncio.Event] = []

    async def main() -> None:
        await disconnected()
        await returned()
        await left()

    async def wait(connection: aio.Connection) -> None:
        tasks.append(asyncio.ensure_future(connection.receive()))
        begun.append(connection)
        await going[-1].wait()

    async def disconnected() -> None:
        going.append(asyncio.Event())
        async with serving(ground, wait) as server, ground.connect():
            await until(lambda: begun)
            server.disconnect(begun.pop())
            await refused()
            going[-1].set()

    async def returned() -> None:
        going.append(asyncio.Event())
        async with serving(ground, wait), ground.connect():
            await until(lambda: begun)
            going[-1].set()
            await refused()
            begun.clear()

    async def left() -> None:
        going.append(asyncio.Event())
        async with AsyncExitStack() as clients:
            async with serving(ground, wait):
                await clients.enter_async_context(ground.connect())
                await until(lambda: begun)
            await refused()

    async def refused() -> None:
        with pytest.raises(comch.NotConnected) as caught:
            await tasks.pop()
        assert isinstance(caught.value.connection, aio.Connection)

    run(main())


async def send_on(client: aio.Client) -> None:
    for _ in range(1000):
        await client.send(b"x")
        await asyncio.sleep(0)


def test_serve_forever_raises_that_the_server_has_failed(ground: Ground, runtime_dir: Path) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            server = await stack.enter_async_context(serving(ground, echo))
            serving_on = asyncio.ensure_future(server.serve_forever())
            await waits(serving_on)
            (socket,) = runtime_dir.glob("*.sock")
            socket.unlink()
            with pytest.raises(comch.ConnectionReset):
                await serving_on

    run(main())


def test_a_failure_that_nobody_has_waited_for_is_raised_at_the_end(ground: Ground, runtime_dir: Path) -> None:
    async def fail() -> None:
        async with serving(ground, echo) as server:
            (socket,) = runtime_dir.glob("*.sock")
            socket.unlink()
            await until(lambda: server._handling and server._handling.receiving.done())

    async def main() -> None:
        with pytest.raises(comch.ConnectionReset):
            await fail()

    run(main())


def test_serve_forever_can_be_cancelled(ground: Ground) -> None:
    async def main() -> None:
        async with serving(ground, echo) as server, ground.connect() as client:
            forever = asyncio.ensure_future(server.serve_forever())
            await waits(forever)
            await cancelled(forever)
            await client.send(b"still")
            assert (await client.receive()).data == b"still"

    run(main())


def test_calls_that_are_of_the_other_kind_of_server(ground: Ground) -> None:
    async def main() -> None:
        async with serving(ground, echo) as server:
            with pytest.raises(comch.BadState, match="messages go to its handler"):
                await server.receive()
        async with ground.pair() as pair:
            with pytest.raises(comch.BadState, match=r"give aio.serve a handler"):
                await pair.connection.receive()
            with pytest.raises(comch.BadState, match="has no handler"):
                await pair.server.serve_forever()

    run(main())


async def ended(call: Callable[[], Awaitable[object]]) -> comch.DocaError:
    """What a receive or send raises at last for the end of its connection."""
    try:
        while True:
            await call()
    except comch.DocaError as error:
        return error


async def shutdown(connection: aio.Connection) -> None:
    raise await ended(connection.receive)


async def shutdown_of_a_send(connection: aio.Connection) -> None:
    await ended(connection.receive)
    await connection.send(b"x")


async def group(connection: aio.Connection) -> None:
    raise GROUP("tasks", [GROUP("tasks", [await ended(connection.receive)])])


async def group_with_another(connection: aio.Connection) -> None:
    raise GROUP("tasks", [await ended(connection.receive), LookupError()])


class Invalid(Exception):
    """An exception of the program with an attribute of that name, which is no group."""

    def __init__(self, exceptions: object) -> None:
        super().__init__(exceptions)
        self.exceptions = exceptions


class OfTheBackport(Invalid):
    """A group of the package exceptiongroup, which stands in for those that Python 3.10 lacks."""


BACKPORT = ModuleType("exceptiongroup")
vars(BACKPORT)["BaseExceptionGroup"] = OfTheBackport


async def no_group(connection: aio.Connection) -> None:
    await ended(connection.receive)
    raise Invalid([])


async def no_group_of_ends(connection: aio.Connection) -> None:
    raise Invalid([await ended(connection.receive)])


async def no_group_but_a_count(connection: aio.Connection) -> None:
    await ended(connection.receive)
    raise Invalid(3)


async def group_of_the_backport(connection: aio.Connection) -> None:
    raise OfTheBackport([await ended(connection.receive)])


async def shutdown_of_another(connection: aio.Connection) -> None:
    raise comch.Shutdown(str(await ended(connection.receive)))


async def another_result(connection: aio.Connection) -> None:
    await ended(connection.receive)
    raise comch.NotFound("no device", connection=connection)


@pytest.mark.parametrize(
    ("handler", "reports"),
    [
        (shutdown, False),
        (shutdown_of_a_send, False),
        pytest.param(group, False, marks=NEEDS_GROUPS),
        pytest.param(group_with_another, True, marks=NEEDS_GROUPS),
        (no_group, True),
        (no_group_of_ends, True),
        (no_group_but_a_count, True),
        (group_of_the_backport, False),
        (shutdown_of_another, True),
        (another_result, True),
    ],
)
def test_only_the_end_of_its_own_connection_is_no_failure_of_a_handler(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, handler: Any, reports: bool
) -> None:
    monkeypatch.setitem(sys.modules, "exceptiongroup", BACKPORT)
    reported: list[dict[str, Any]] = []
    begun: list[aio.Connection] = []

    async def noted(connection: aio.Connection) -> None:
        begun.append(connection)
        await handler(connection)

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context))
        async with serving(ground, noted) as server:
            async with ground.connect() as client:
                await client.send(b"x")
                await client.flush()
            await until(lambda: begun and server._handling and not server._handling._tasks)

    run(main())
    assert bool(reported) is reports
    assert all("the handler of" in context["message"] for context in reported)


def test_a_handler_whose_server_has_left_its_client_has_not_failed(ground: Ground) -> None:
    """What it raises for that is not reported."""
    errors: list[comch.DocaError] = []

    async def main() -> None:
        async def leave(connection: aio.Connection) -> None:
            server.disconnect(connection)
            errors.append(await ended(partial(connection.send, b"x")))
            raise errors[0]

        async with serving(ground, leave) as server, ground.connect() as client:
            await client.connection.wait_closed()
            await until(lambda: server._handling and not server._handling._tasks)

    run(main())
    assert [type(error) for error in errors] == [comch.NotConnected]


def test_a_client_that_cannot_be_disconnected_is_reported(ground: Ground) -> None:
    """Once: a consumer that the handler has left open keeps it."""
    reported: list[dict[str, Any]] = []
    left: list[comch.Consumer] = []

    async def careless(connection: aio.Connection) -> None:
        consumer = comch.Consumer(connection.connection, memory)
        consumer.task_post_recv_set_conf(comch.PostRecvTask.free, comch.PostRecvTask.free, 1)
        consumer.start()
        left.append(consumer)

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: reported.append(context))
        async with serving(ground, careless, streams=True), ground.connect(streams=True) as client:
            await until(lambda: reported)
            assert not client.connection.closed
            left.pop().close()
            await client.connection.wait_closed()

    with comch.Mmap(ground.dpu, 8, comch.AccessFlag.PCI_READ_WRITE) as memory:
        run(main())
    (context,) = reported
    assert isinstance(context["exception"], comch.InUse)
    assert "stays connected" in context["message"]


def test_a_consumer_that_a_cancelled_handler_leaves_open_keeps_no_server_from_its_end(ground: Ground) -> None:
    left: list[comch.Consumer] = []

    async def careless(connection: aio.Connection) -> None:
        consumer = comch.Consumer(connection.connection, memory)
        consumer.task_post_recv_set_conf(comch.PostRecvTask.free, comch.PostRecvTask.free, 1)
        consumer.start()
        left.append(consumer)
        await asyncio.Event().wait()

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)  # that it stays connected
        async with serving(ground, careless, streams=True) as server, ground.connect(streams=True):
            await until(lambda: left)
            assert server._handling is not None
            await asyncio.wait_for(server._handling.stop(), SOON_S)
            left.pop().close()

    with comch.Mmap(ground.dpu, 8, comch.AccessFlag.PCI_READ_WRITE) as memory:
        run(main())


def test_errors_have_the_connection_of_aio(ground: Ground) -> None:
    errors: list[tuple[aio.Connection, comch.DocaError]] = []

    async def main() -> None:
        async with serving(ground, collect):
            async with ground.connect() as client:
                await client.send(b"x")
                await client.flush()
            await until(lambda: len(errors) == 3)
        async with ground.serve() as server:
            lost = asyncio.ensure_future(first(server.messages(on_lost=lambda *args: errors.append(args))))
            async with ground.connect() as client:
                await client.send(b"x")
                await client.flush()
            await until(lambda: len(errors) == 4)
            await cancelled(lost)

    async def collect(connection: aio.Connection) -> None:
        for call in (connection.receive, connection.receive, partial(connection.send, b"x")):
            errors.append((connection, await ended(call)))

    async def first(messages: AsyncIterator[aio.Message]) -> None:
        async for _ in messages:
            pass

    run(main())
    assert {type(error) for _, error in errors} == {comch.Shutdown}
    assert [error.connection for _, error in errors] == [connection for connection, _ in errors]
    assert errors[0][1] is not errors[1][1]
