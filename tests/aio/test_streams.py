"""Streams between tasks of one loop: other tasks have their turn, and what is cancelled gives the stream up."""

from __future__ import annotations

import asyncio
import io
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from comch_next import BadState, IoFailed, NotConnected, Shutdown, State, aio
from comch_next.driver.emulated import _consumer
from tests.aio.support import Ground, cancelled, run, until, waits
from tests.streams.support import Claimed

DATA = random.Random(15).randbytes(200_000)
CHUNK = 4096


@asynccontextmanager
async def streams(ground: Ground, *, enabled: bool = True) -> AsyncIterator[tuple[aio.Stream, aio.Stream]]:
    """The client's and the server's."""
    async with (
        ground.pair(streams=enabled) as pair,
        aio.Stream(pair.client.connection) as here,
        aio.Stream(pair.connection) as there,
    ):
        yield here, there


def test_a_file_each_way(ground: Ground) -> None:
    async def main() -> None:
        async with streams(ground) as (here, there):
            for sender, receiver in ((here, there), (there, here)):
                sink, counts = io.BytesIO(), list[int]()
                sent, received = await asyncio.gather(
                    sender.send_stream(io.BytesIO(DATA), chunk_size=CHUNK, progress=counts.append),
                    receiver.recv_stream(sink),
                )
                assert sent == received == counts[-1] == len(DATA)
                assert sink.getvalue() == DATA

    run(main())


def test_other_tasks_have_their_turn(ground: Ground) -> None:
    turns: list[int] = []

    async def count(stop: asyncio.Event) -> None:
        while not stop.is_set():
            turns.append(1)
            await asyncio.sleep(0)

    async def main() -> None:
        stop = asyncio.Event()
        async with streams(ground) as (here, there):
            counting = asyncio.ensure_future(count(stop))
            await asyncio.gather(here.send_stream(DATA, chunk_size=CHUNK), there.recv_stream(io.BytesIO()))
            stop.set()
            await counting

    run(main())
    assert len(turns) >= len(DATA) // CHUNK // 8


def test_what_is_cancelled_gives_the_stream_up(ground: Ground) -> None:
    async def main() -> None:
        async with streams(ground) as (here, there):
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(here.send_stream(DATA), 0.01)
            began = asyncio.Event()
            receiving = asyncio.ensure_future(there.recv_stream(io.BytesIO(), progress=lambda _: began.set()))
            endless = asyncio.ensure_future(here.send_stream(Endless(), chunk_size=CHUNK))
            await began.wait()
            endless.cancel()
            with pytest.raises(IoFailed, match="gave the stream up"):
                await receiving
            sent, received = await asyncio.gather(here.send_stream(DATA), there.recv_stream(io.BytesIO()))
            assert sent == received == len(DATA)

    run(main())


class Endless:
    def read(self, size: int) -> bytes:
        return b"x" * size


class Full(io.RawIOBase):
    """A sink that takes nothing."""

    def write(self, data: Any) -> int:
        raise OSError("the disk is full")


@pytest.mark.parametrize("failed", [False, True])
def test_more_is_given_up_than_can_be_told(ground: Ground, failed: bool) -> None:
    """The receiver is busy with something else, and posts nothing meanwhile for what it is to be notified with."""

    async def main() -> None:
        async with streams(ground) as (here, there):
            if failed:
                results = await asyncio.gather(
                    here.send_stream(DATA), there.recv_stream(Full()), return_exceptions=True
                )
                assert [type(result) for result in results] == [IoFailed, OSError]
            for _ in range(17):
                sending = asyncio.ensure_future(here.send_stream(DATA))
                for _ in range(20):
                    await asyncio.sleep(0)
                await cancelled(sending)
            sending = asyncio.ensure_future(here.send_stream(DATA))
            sink = io.BytesIO()
            with suppress(IoFailed):  # the last one that was given up, if it had been taken
                await there.recv_stream(sink)
            if not sink.getvalue():
                await there.recv_stream(sink)
            assert await sending == len(DATA)
            assert sink.getvalue() == DATA

    run(main())


def test_nobody_is_told_of_the_end(ground: Ground) -> None:
    """The receiver has not posted what it would be told with."""

    async def main() -> None:
        async with streams(ground) as (here, there):
            for _ in range(17):
                sending = asyncio.ensure_future(here.send_stream(DATA))
                for _ in range(20):
                    await asyncio.sleep(0)
                await cancelled(sending)
            await here.__aexit__(None, None, None)
            with pytest.raises((Shutdown, IoFailed)):
                await there.recv_stream(io.BytesIO())
            with pytest.raises(Shutdown):
                await there.recv_stream(io.BytesIO())

    run(main())


def test_one_that_is_left_ends_the_others(ground: Ground) -> None:
    async def main() -> None:
        async with streams(ground) as (here, there):
            waiting = asyncio.ensure_future(here.recv_stream(io.BytesIO()))
            await asyncio.sleep(0)
            await there.__aexit__(None, None, None)
            with pytest.raises(Shutdown, match="recv_stream"):
                await waiting

    run(main())


@pytest.mark.parametrize("closed", ["stream", "client"])
def test_one_that_another_task_closes(ground: Ground, closed: str) -> None:
    """A call that waits in it ends, as one of comch.Stream in another thread, and nothing is watched any more."""

    async def main() -> None:
        async with ground.pair(streams=True) as pair:
            await aio.Stream(pair.connection).__aenter__()
            stream = await aio.Stream(pair.client.connection).__aenter__()
            waiting = asyncio.ensure_future(stream.recv_stream(io.BytesIO()))
            await waits(waiting)
            if closed == "stream":
                await stream.__aexit__(None, None, None)
        with pytest.raises(NotConnected, match="recv_stream"):
            await waiting

    run(main())


def test_one_without_its_option(ground: Ground) -> None:
    async def main() -> None:
        with pytest.raises(BadState, match="enable"):
            async with streams(ground, enabled=False):
                pass

    run(main())


@pytest.mark.parametrize("error", [None, LookupError("of the body")])
def test_a_stream_that_is_left_open_ends_with_its_client(ground: Ground, error: LookupError | None) -> None:
    """As those of comch.Stream do."""

    async def main() -> None:
        with suppress(LookupError):
            async with ground.pair(streams=True) as pair:
                for connection in (pair.client.connection, pair.connection):
                    await aio.Stream(connection).__aenter__()
                if error is not None:
                    raise error
        assert getattr(error, "__notes__", []) == []

    run(main())


@pytest.mark.parametrize("error", [None, LookupError("of the handler")])
def test_a_stream_that_a_handler_leaves_open_ends_with_it(ground: Ground, error: LookupError | None) -> None:
    """Else its client could not be disconnected."""
    reported: list[object] = []

    async def handle(connection: aio.Connection) -> None:
        await aio.Stream(connection).__aenter__()
        if error is not None:
            raise error

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context["exception"]))
        async with ground.serve(handler=handle, streams=True), ground.connect(streams=True) as client:
            with pytest.raises(Shutdown):
                await client.receive()

    run(main())
    assert reported == ([] if error is None else [error])


@pytest.mark.parametrize("in_block", [True, False])
def test_others_are_answered_while_a_stream_waits_for_the_copy_of_its_peer(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, in_block: bool
) -> None:
    """Until that has ended the stream keeps its memory, at the end of its block or of the handler."""
    monkeypatch.setattr(_consumer, "PATIENCE_S", 3600.0)
    sinks: list[Claimed] = []
    sending: asyncio.Future[int]

    async def handle(connection: aio.Connection) -> None:
        if (await connection.receive()).data == b"echo":
            async for message in connection:
                await message.reply(message.data)
            return
        stream = aio.Stream(connection)
        await stream.__aenter__()
        sinks.append(Claimed(connection.connection, sending.cancel))
        with pytest.raises(OSError, match="full"):
            await stream.recv_stream(sinks[0], chunk_size=CHUNK)
        if in_block:
            await stream.__aexit__(None, None, None)

    async def main() -> None:
        nonlocal sending
        async with (
            ground.serve(handler=handle, streams=True),
            ground.connect(streams=True) as client,
            ground.connect(streams=True) as other,
        ):
            async with aio.Stream(client.connection) as stream:
                await client.send(b"stream")
                await other.send(b"echo")
                sending = asyncio.ensure_future(stream.send_stream(Endless(), chunk_size=CHUNK))
                await asyncio.wait([sending])
                await until(lambda: sinks and sinks[0].state() is State.STOPPING)
                for _ in range(3):
                    await other.send(b"are you there?")
                    assert (await other.receive()).data == b"are you there?"
                assert sinks[0].state() is State.STOPPING
                sinks[0].let_go()
                with pytest.raises(Shutdown):
                    await client.receive()
                assert sinks[0].state() is State.IDLE

    run(main())
