"""Loops over a server go on when a client dies or leaves; replies to the gone are errors of that reply only."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import Any

import pytest

from tests.orders.support import (
    NAME,
    SOON_S,
    World,
    comch,
    connect,
    introduce,
    raises_soon,
    receives_nothing,
    until,
)
from tests.processes import Child, StartPython
from tests.pull.support import FORMS
from tests.sleeps import takes_at_most

CLIENT = f"""
import sys
import comch_next as comch
client = comch.Client(comch.open_device("b1:00.0"), {NAME!r})
connection = client.connect(timeout={SOON_S})
connection.send(sys.argv[1].encode())
print("connected", flush=True)
for line in sys.stdin:
    word, _, text = line.strip().partition(" ")
    if word == "send":
        connection.send(text.encode())
    elif word == "leave":
        client.close()
    elif word == "receive":
        print(client.receive(timeout={SOON_S}).data.decode(), flush=True)
    print("done", word, flush=True)
"""

SERVER = f"""
import sys
import comch_next as comch
with comch.Server(comch.open_device("03:00.0"), "b1:00.0", {NAME!r}) as server:
    print("listening", flush=True)
    server.receive(timeout={SOON_S}).reply(b"welcome")
    sys.stdin.read()
"""

GONE = (comch.ConnectionReset, comch.Shutdown, comch.NotConnected, comch.ConnectionAborted)


LOOPS = [("plain", False, "outer"), ("own", False, "inner"), ("plain", True, "outer"), ("own", True, "outer")]


class Loop:
    """An iteration over a server in a thread of its own."""

    def __init__(self, server: Any, last: bytes = b"stop") -> None:
        self.server = server
        self.seen: list[bytes] = []
        self.messages: list[Any] = []
        self.error: BaseException | None = None
        self.last = last
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self) -> None:
        try:
            for message in self.server:
                self.messages.append(message)
                self.seen.append(message.data)
                if message.data == self.last:
                    return
        except BaseException as error:
            self.error = error

    def finish(self) -> list[bytes]:
        self.thread.join(SOON_S)
        assert not self.thread.is_alive()
        if self.error is not None:
            raise self.error
        return self.seen


def start(start_python: StartPython, greeting: str) -> Child:
    child = start_python("-c", CLIENT, greeting)
    child.wait_for("connected")
    return child


def tell(child: Child, line: str) -> None:
    child.say(line + "\n")
    child.wait_for("done")


@pytest.mark.parametrize("ending", ["kill", "leave"])
def test_iteration_goes_on(world: World, start_python: StartPython, ending: str) -> None:
    loop = Loop(world.server())
    first, second = start(start_python, "first"), start(start_python, "second")
    until(lambda: len(loop.seen) == 2)
    if ending == "kill":
        first.kill()
    else:
        tell(first, "leave")
    tell(second, "send between")
    third = start(start_python, "third")
    tell(third, "send stop")
    assert loop.finish() == [b"first", b"second", b"between", b"third", b"stop"]


def test_a_loop_can_tell_who_has_gone(world: World, start_python: StartPython) -> None:
    server = world.server()
    lost: list[tuple[Any, BaseException]] = []
    victim, leaver = start_python("-c", CLIENT, "victim"), start_python("-c", CLIENT, "leaver")
    peers: dict[bytes, Any] = {}
    for message in server.messages(on_lost=lambda connection, error: lost.append((connection, error))):
        peers[message.data] = message.connection
        if set(peers) == {b"victim", b"leaver"}:
            break
    victim.wait_for("connected")
    leaver.wait_for("connected")
    victim.kill()
    tell(leaver, "leave")
    start_python("-c", CLIENT, "stop")
    for message in server.messages(on_lost=lambda connection, error: lost.append((connection, error))):
        if len(lost) == 2:
            break
        message.reply(b"not yet")
        start_python("-c", CLIENT, "stop")
    errors = dict(lost)
    assert len(lost) == 2
    assert isinstance(errors[peers[b"victim"]], comch.ConnectionReset)
    assert isinstance(errors[peers[b"leaver"]], comch.Shutdown)


def test_iteration_survives_many_deaths(world: World, start_python: StartPython) -> None:
    loop = Loop(world.server())
    survivor = start(start_python, "survivor")
    for number in range(4):
        start(start_python, f"victim {number}").kill()
    tell(survivor, "send stop")
    expected = [b"survivor", *(b"victim %d" % number for number in range(4)), b"stop"]
    assert loop.finish() == expected


def test_what_the_dead_had_sent_is_still_read(world: World, start_python: StartPython) -> None:
    """The server starts to read when the client is dead."""
    server = world.server()
    child = start_python("-c", CLIENT, "greeting")
    assert server.receive(timeout=SOON_S).data == b"greeting"
    child.wait_for("connected")
    for number in range(3):
        tell(child, f"send {number}")
    child.kill()
    loop = Loop(server)
    start(start_python, "stop")
    assert loop.finish() == [b"0", b"1", b"2", b"stop"]


@pytest.mark.parametrize("ending", ["kill", "leave"])
def test_a_reply_to_a_gone_peer(world: World, start_python: StartPython, ending: str) -> None:
    server = world.server()
    child = start_python("-c", CLIENT, "question")
    message = server.receive(timeout=SOON_S)
    child.wait_for("connected")
    if ending == "kill":
        child.kill()
    else:
        tell(child, "leave")
    until(lambda: is_gone(message))
    with takes_at_most(1):
        assert message.reply(b"answer") is False
        assert message.reply(b"answer") is False
    loop = Loop(server)
    other = start(start_python, "stop")
    assert loop.finish() == [b"stop"]
    loop.messages[-1].reply(b"answer")
    other.say("receive\n")
    other.wait_for("answer")


def is_gone(message: Any) -> bool:
    try:
        message.connection.send(b"", timeout=0)
    except comch.Again:
        return False
    except GONE:
        return True
    return False


def test_a_loop_that_answers_the_gone(world: World, start_python: StartPython) -> None:
    """An echo server as one writes it."""
    server = world.server()
    ended: list[str] = []

    def echo() -> None:
        try:
            for message in server:
                if message.data == b"stop":
                    break
                message.reply(message.data)
            ended.append("well")
        except BaseException as error:
            ended.append(repr(error))

    thread = threading.Thread(target=echo, daemon=True)
    thread.start()
    for _ in range(3):
        child = start(start_python, "hello")
        child.say("send bye\n")
        child.kill()
    start(start_python, "stop")
    thread.join(SOON_S)
    assert ended == ["well"]


def test_a_client_iterates_until_its_server_leaves(world: World) -> None:
    server, client = world.server(), world.client()
    connection = connect(client, server)
    connection.send(b"hello", timeout=SOON_S)
    peer = server.receive(timeout=SOON_S).connection
    for number in range(3):
        peer.send(b"%d" % number, timeout=SOON_S)
    until(lambda: peer.in_flight == 0)
    server.close()
    with takes_at_most(5):
        assert [message.data for message in client] == [b"0", b"1", b"2"]


def test_a_server_without_clients_can_be_closed_from_outside(world: World) -> None:
    """Design silent on the wording of the end; the loop must not hang for ever."""
    server = world.server()
    loop = Loop(server)
    stopper = world.client()
    connection = stopper.connect(NAME, timeout=SOON_S)
    connection.send(b"stop")
    assert loop.finish() == [b"stop"]


@pytest.mark.parametrize(("inner", "ended", "told"), LOOPS)
def test_a_loop_within_a_loop(world: World, inner: str, ended: bool, told: str) -> None:
    """The innermost loop that wants to know hears of the gone, and after its end the one around it does again."""
    lost: list[str] = []
    server, client = world.server(), world.client()
    connection = connect(client, server)
    introduce(connection, server)
    connection.send(b"outer")
    loop = server.messages(on_lost=lambda *_: lost.append("outer"))
    assert next(loop).data == b"outer"
    connection.send(b"inner")
    within = server.messages(**({"on_lost": lambda *_: lost.append("inner")} if inner == "own" else {}))
    assert next(within).data == b"inner"
    if ended:
        within.close()
    client.disconnect()
    until(lambda: receives_nothing(server) and lost)
    assert lost == [told]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("make", ["Client", "Channel"])
@pytest.mark.parametrize("end", ["stopped", "died"])
def test_a_client_does_not_wait_for_what_cannot_come(
    world: World, start_python: StartPython, monkeypatch: pytest.MonkeyPatch, form: str, make: str, end: str
) -> None:
    """Once the end of its connection has been reported, or where its own program has brought it about."""
    monkeypatch.setenv("COMCH_PULL", form)
    child = start_python("-c", SERVER)
    child.wait_for("listening")
    client = world.keep(getattr(comch, make)(device=world.host))
    client.send_to(b"hello", client.connect(NAME, timeout=SOON_S))
    assert client.receive(timeout=SOON_S).data == b"welcome"
    if end == "stopped":
        client.stop()
        until(lambda: client.state is comch.State.IDLE, client.engine)
    child.kill()
    if end == "died":
        raises_soon(comch.ConnectionReset, client.receive, timeout=0)
    for _ in range(2):
        with pytest.raises(comch.NotConnected, match="connect again"):
            client.receive()
        with pytest.raises(comch.TimeOut):
            client.receive(timeout=0.01)
        with pytest.raises(comch.Again):
            client.receive(timeout=0)


# asyncio


@pytest.mark.parametrize(("inner", "ended", "told"), LOOPS)
def test_an_asyncio_loop_within_a_loop(world: World, inner: str, ended: bool, told: str) -> None:
    from comch_next import aio

    lost: list[str] = []

    async def serve() -> None:
        async with aio.serve(world.dpu, world.rep, NAME) as server:
            loop = server.messages(on_lost=lambda *_: lost.append("outer"))
            within = server.messages(on_lost=None if inner == "plain" else lambda *_: lost.append("inner"))
            first = asyncio.ensure_future(anext(loop))
            async with aio.connect(world.host, NAME) as client:
                await client.send(b"outer")
                assert (await first).data == b"outer"
                await client.send(b"inner")
                assert (await anext(within)).data == b"inner"
                if ended:
                    await within.aclose()
            while not lost:
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(server.receive(), 0.02)

    asyncio.run(asyncio.wait_for(serve(), SOON_S))
    assert lost == [told]


def test_asyncio_iteration_goes_on(world: World, start_python: StartPython) -> None:
    from comch_next import aio

    seen: list[bytes] = []

    async def serve() -> None:
        async with aio.serve(world.dpu, world.rep, NAME) as server:
            listening.set()
            async for message in server:
                seen.append(message.data)
                if message.data == b"stop":
                    return

    listening = threading.Event()
    failed: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(asyncio.wait_for(serve(), SOON_S))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert listening.wait(SOON_S)
    victim, leaver = start(start_python, "victim"), start(start_python, "leaver")
    until(lambda: len(seen) == 2)
    victim.kill()
    tell(leaver, "leave")
    last = start(start_python, "last")
    tell(last, "send stop")
    thread.join(SOON_S)
    assert failed == []
    assert seen[2:] == [b"last", b"stop"]
    assert set(seen[:2]) == {b"victim", b"leaver"}


def test_asyncio_reply_to_a_gone_peer(world: World, start_python: StartPython) -> None:
    from comch_next import aio

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        async with aio.serve(world.dpu, world.rep, NAME) as server:
            child = start_python("-c", CLIENT, "question")
            message = await asyncio.wait_for(server.receive(), SOON_S)
            await loop.run_in_executor(None, child.kill)
            while await message.reply(b"answer"):
                await asyncio.sleep(0)
            start_python("-c", CLIENT, "next")
            async for following in server:
                assert following.data == b"next"
                await following.reply(b"still there")
                return

    asyncio.run(asyncio.wait_for(serve(), SOON_S))


def test_asyncio_beside_the_sync_api(world: World) -> None:
    """A client in the event loop and a server in a thread, both of one process."""
    from comch_next import aio

    loop = Loop(world.server())

    async def talk() -> None:
        async with aio.connect(world.host, NAME) as one, aio.connect(world.host, NAME) as two:
            await asyncio.gather(one.send(b"one"), two.send(b"two"))
            await one.flush()
            await two.flush()
        async with aio.connect(world.host, NAME) as three:
            await three.send(b"stop")
            await three.flush()

    asyncio.run(asyncio.wait_for(talk(), SOON_S))
    assert sorted(loop.finish()) == [b"one", b"stop", b"two"]
