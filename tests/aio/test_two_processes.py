"""Both ends in processes of their own, asyncio on one side or on both."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import pytest

import comch_next as comch
from tests.aio.support import Ground, echo, run
from tests.processes import StartPython
from tests.pull.support import PEER

# Answers what comes, says how many threads and descriptors it has, and ends when its input does.
SERVER = """
import asyncio, os, sys
import comch_next as comch
from comch_next import aio
from tests.descriptors import open_fds

def have():
    fds = open_fds()  # after which no thread closes any
    return len(os.listdir("/proc/self/task")), fds

async def echo(server):
    while True:
        try:
            async for message in server:
                await message.reply(message.data)
            return
        except comch.ConnectionReset:
            print("lost one", flush=True)

async def main():
    with comch.open_device("03:00.0") as device:
        before = have()
        async with aio.serve(device, "b1:00.0", "svc") as server:
            answering = asyncio.create_task(echo(server))
            over = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().add_reader(0, over.set_result, None)
            print("ready", flush=True)
            await over
            asyncio.get_running_loop().remove_reader(0)
            print("threads", have()[0], flush=True)
        await answering
        print("left", have()[1] - before[1], flush=True)

asyncio.run(main())
"""

# So many clients send so many messages each, of which a window may be on the way, and check what comes back.
CLIENT = """
import asyncio, os, sys
import comch_next as comch
from comch_next import aio
from tests.descriptors import open_fds

async def talk(device, name, count, window):
    async with aio.connect(device, "svc", timeout=60) as client:
        room = asyncio.Semaphore(window)
        async def send():
            for number in range(count):
                await room.acquire()
                await client.send(b"%d.%d" % (name, number))
        sending = asyncio.create_task(send())
        for number in range(count):
            assert (await client.receive()).data == b"%d.%d" % (name, number)
            room.release()
        await sending

async def main(clients, count, window):
    with comch.open_device("b1:00.0") as device:
        before = open_fds()
        await asyncio.gather(*(talk(device, each, count, window) for each in range(clients)))
        left = open_fds() - before  # after which no thread closes any
        print("threads", len(os.listdir("/proc/self/task")), flush=True)
        print("left", left, flush=True)

asyncio.run(main(*map(int, sys.argv[1:])))
"""

# The modern API without asyncio.
PLAIN_SERVER = """
import comch_next as comch
with comch.Server(comch.open_device("03:00.0"), "b1:00.0", "svc") as server:
    print("ready", flush=True)
    for message in server:
        message.reply(message.data)
        if message.data == b"last":
            message.connection.flush(timeout=60)
            break
"""
PLAIN_CLIENT = """
import contextlib
import comch_next as comch
with contextlib.closing(comch.Client(comch.open_device("b1:00.0"), "svc")) as client:
    client.connect(timeout=60)
    for number in range(500):
        client.connection.send(b"%d" % number, timeout=60)
        assert client.receive(timeout=60).data == b"%d" % number
print("done", flush=True)
"""


def test_asyncio_on_both_sides(form: str, start_python: StartPython) -> None:
    server = start_python("-c", SERVER)
    server.wait_for("ready")
    window = "300" if form == "driver" else "4"  # see "messages" in comch_next._threaded: an echo may not be flooded
    clients = [start_python("-c", CLIENT, "5", "300", window) for _ in range(2)]
    for client in clients:
        if form == "driver":
            assert client.wait_for("threads") == "threads 1"
        assert client.wait_for("left") == "left 0"
        assert client.finish().returncode == 0
    server.say("end\n")
    if form == "driver":
        assert server.wait_for("threads") == "threads 1"
    assert server.wait_for("left") == "left 0"
    assert server.finish().returncode == 0


def test_a_client_of_a_plain_server(ground: Ground, start_python: StartPython) -> None:
    server = start_python("-c", PLAIN_SERVER, env={"COMCH_PULL": ""})
    server.wait_for("ready")

    async def main() -> None:
        async with ground.connect() as client:
            for number in range(500):
                await client.send(b"%d" % number)
                assert (await client.receive()).data == b"%d" % number
            await client.send(b"last")
            assert [message.data async for message in client] == [b"last"]

    run(main())
    assert server.finish().returncode == 0


def test_a_server_of_plain_clients_and_of_one_that_dies(ground: Ground, start_python: StartPython) -> None:
    async def main() -> None:
        async with ground.serve() as server:
            victim = start_python("-c", PEER, env={"COMCH_PULL": ""})
            victim.say("send hello\n")
            connection = (await server.receive()).connection
            answering = asyncio.ensure_future(echo(server))
            clients = [start_python("-c", PLAIN_CLIENT, env={"COMCH_PULL": ""}) for _ in range(3)]
            victim.kill()
            for client in clients:
                await asyncio.get_running_loop().run_in_executor(None, client.wait_for, "done")
            with pytest.raises(comch.ConnectionReset):
                await connection.send(b"x")
        await answering
        await asyncio.get_running_loop().shutdown_default_executor()

    run(main())


def test_an_interrupted_program_leaves_nothing(form: str, start_python: StartPython, runtime_dir: Path) -> None:
    server = start_python("-c", SERVER)
    server.wait_for("ready")
    finished = server.end_by(signal.SIGINT)
    assert finished.stderr.rstrip().endswith("KeyboardInterrupt")
    if sys.version_info >= (3, 11):  # before, asyncio.run itself leaves the interrupted task's exception behind
        assert "never retrieved" not in finished.stderr
    assert list(runtime_dir.iterdir()) == []
