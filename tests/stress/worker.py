"""The processes under stress: `worker server SEED` and `worker client SEED`, until a line comes on their input.

They tell each connection's fate, one word and the life's number per line: up, met, left, reset; or FAULT.
"""

from __future__ import annotations

import os
import random
import select
import sys
import time
from collections.abc import Callable

import comch_next as comch
from tests.stress.stream import Fault, Resources, Stream

DPU, HOST, NAME = "03:00.0", "b1:00.0", "stress"
MOST_CLIENTS = 8
_PATIENCE_S = 20.0
_DOWN = (comch.ConnectionAborted, comch.TimeOut)  # while there is no server
_END_S = 10.0


def say(*words: object) -> None:
    print(*words, flush=True)


def told_to_end() -> bool:
    return bool(select.select([sys.stdin], [], [], 0)[0])


def depth(rng: random.Random) -> int:
    return rng.choice((1, 2, 64, rng.randint(1, 64)))


def quiet(context: comch.Server | comch.Client, timeout: float) -> comch.Message | None:
    """The next message, or None when none comes within the time."""
    try:
        return context.receive(timeout=timeout)
    except (comch.Again, comch.TimeOut):
        return None


class ServerSide:
    """Serves whoever comes: a stream of its own to each, as fast as they read."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._streams: dict[comch.Connection, Stream] = {}
        device = comch.open_device(DPU)
        self._server = comch.Server(device, HOST, NAME, recv_queue_size=depth(rng), send_queue_size=depth(rng))
        self._server.listen()
        self._resources = Resources()
        say("listening")

    def run(self) -> None:
        """Until told to end; then until every client has gone."""
        turns = 0
        while not told_to_end():
            turns += 1
            self._serve(0.002)
            self._talk()
            if turns % 64 == 0:
                self._resources.check(MOST_CLIENTS)
        deadline = time.monotonic() + _END_S
        while self._streams and time.monotonic() < deadline:
            self._serve(0.05)
            self._talk()
        quiet(self._server, 0.1)
        for stream in self._streams.values():
            raise Fault(f"nobody said what became of life {stream.life:x}")
        self._resources.check(0)
        self._server.close()

    def _serve(self, timeout: float) -> None:
        try:
            for _ in range(self._rng.randint(1, 100)):
                message = quiet(self._server, timeout)
                if message is None:
                    return
                self._take(message)
                timeout = 0
        except comch.ConnectionReset as error:
            stream = self._streams.pop(error.connection, None)
            say("reset", f"{stream.life:x}" if stream else "unknown")

    def _take(self, message: comch.Message) -> None:
        stream = self._streams.get(message.connection)
        if stream is None:
            stream = self._streams[message.connection] = Stream(message.connection, self._rng)
        stream.take(message.data)
        if stream.received == 1:
            say("met", f"{stream.life:x}")

    def _talk(self) -> None:
        for stream in list(self._streams.values()):
            try:
                while self._rng.random() < 0.8 and stream.send(last=stream.ended):
                    if stream.ended:
                        say("left", f"{stream.life:x}")
                        del self._streams[stream.connection]
                        break
            except comch.ConnectionReset:
                pass  # receive tells of it, once
            except comch.Shutdown as error:
                raise Fault(f"life {stream.life:x} left without a word") from error


class ClientSide:
    """One life after the other: connects, talks for a while, and leaves in order."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._device = comch.open_device(HOST)
        self._lives = 0
        self._resources: Resources | None = None

    def run(self) -> None:
        while not told_to_end():
            depths = depth(self._rng), depth(self._rng)
            client = comch.Client(self._device, NAME, recv_queue_size=depths[0], send_queue_size=depths[1])
            try:
                connection = client.connect(timeout=_PATIENCE_S)
            except _DOWN:
                client.close()
                time.sleep(0.005)  # the server is being started again
                continue
            self._lives += 1
            stream = Stream(connection, self._rng, os.getpid() << 32 | self._lives)
            say("up", f"{stream.life:x}")
            self._live(client, stream)
            client.close()
            self._resources = self._resources or Resources()
            self._resources.check(0)

    def _live(self, client: comch.Client, stream: Stream) -> None:
        most = self._rng.choice((1, 30, 1000, 5000))
        try:
            while stream.sent < most and not told_to_end():
                self._burst(client, stream)
            self._leave(client, stream)
        except comch.ConnectionReset:
            self._hear_once(client)
            say("reset", f"{stream.life:x}")
        except comch.Shutdown as error:
            raise Fault(f"the server left life {stream.life:x} without a word") from error

    def _burst(self, client: comch.Client, stream: Stream) -> None:
        for _ in range(self._rng.randint(1, 100)):
            if not stream.send():
                break
        timeout = self._rng.choice((0, 0.001))
        for _ in range(self._rng.randint(0, 100)):
            if (message := quiet(client, timeout)) is None:
                return
            stream.take(message.data)

    def _leave(self, client: comch.Client, stream: Stream) -> None:
        """Say the last message, and wait for the server's."""
        self._until(lambda: stream.send(last=True), client, stream)
        self._until(lambda: stream.ended, client, stream)
        say("left", f"{stream.life:x}")

    def _until(self, done: Callable[[], bool], client: comch.Client, stream: Stream) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while not done():
            if time.monotonic() > deadline:
                raise Fault(f"life {stream.life:x} waits in vain for its server: {stream.sent} {stream.received}")
            if (message := quiet(client, 0.01)) is not None:
                stream.take(message.data)

    def _hear_once(self, client: comch.Client) -> None:
        """The loss may have been told by a send; receive tells it at most once, after what had arrived."""
        told = 0
        while (code := comch.outcome(client.receive, timeout=0)[0]) != comch.ErrorCode.AGAIN:
            told += code == comch.ErrorCode.CONNECTION_RESET
            if told > 1:
                raise Fault("the loss of the server was reported twice")


def main(role: str, seed: str) -> None:
    rng = random.Random(seed)
    try:
        (ServerSide(rng) if role == "server" else ClientSide(rng)).run()
    except Exception as error:
        say("FAULT", f"{role} {os.getpid()}, seed {seed}: {type(error).__name__}: {error}")
        raise


if __name__ == "__main__":
    main(*sys.argv[1:])
