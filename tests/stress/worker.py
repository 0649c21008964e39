"""The processes under stress: `worker FACE server SEED` and `worker FACE client SEED`, until a line is on their input.

A face is an API of faces.py, or `callbacks`: tasks and the fast path of comch_next, see callbacks.py.
They tell each connection's fate, one word and the life's number per line: up, met, left, reset; or FAULT.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import comch_next as comch
from tests.stress import callbacks
from tests.stress.faces import FACES
from tests.stress.process import END_S, MOST_CLIENTS, PATIENCE_S, depth, say, told_to_end
from tests.stress.stream import Fault, Resources, Stream

_DOWN = (comch.ConnectionAborted, comch.TimeOut)  # while there is no server


def quiet(context: Any, timeout: float) -> Any:
    """The next message, or None when none comes within the time."""
    try:
        return context.receive(timeout=timeout)
    except (comch.Again, comch.TimeOut):
        return None


class ServerSide:
    """Serves whoever comes: a stream of its own to each, as fast as they read."""

    def __init__(self, face: Any, rng: random.Random) -> None:
        self._face = face
        self._rng = rng
        self._streams: dict[Any, Stream] = {}
        self._lost: set[Any] = set()  # connections whose loss has been told
        self._server = face.server(depth(rng), depth(rng))
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
        deadline = time.monotonic() + END_S
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
            self._lose(error.connection)

    def _lose(self, connection: Any) -> None:
        """The life is unknown when nothing has come of it, or when all has been said. None died in its handshake."""
        if connection in self._lost:
            raise Fault("the loss of a client was told twice")
        if connection is not None:
            self._lost.add(connection)
        stream = self._streams.pop(connection, None)
        say("reset", f"{stream.life:x}" if stream else "unknown")

    def _take(self, message: Any) -> None:
        if message.connection in self._lost:
            raise Fault("a message came after its sender's loss had been told")
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
                        self._face.parted(stream.connection)
                        del self._streams[stream.connection]
                        break
            except comch.ConnectionReset:
                pass  # receive tells of it, once
            except comch.Shutdown as error:
                raise Fault(f"life {stream.life:x} left without a word") from error


class ClientSide:
    """One life after the other: connects, talks for a while, and leaves in order."""

    def __init__(self, face: Any, rng: random.Random) -> None:
        self._face = face
        self._rng = rng
        self._lives = 0
        self._told = 0  # how often receive has told this life of its server's loss
        self._resources: Resources | None = None

    def run(self) -> None:
        while not told_to_end():
            client = self._face.client(depth(self._rng), depth(self._rng))
            try:
                connection = client.connect(timeout=PATIENCE_S)
            except _DOWN:
                client.close()
                time.sleep(0.005)  # the server is being started again
                continue
            self._lives += 1
            self._told = 0
            stream = Stream(connection, self._rng, os.getpid() << 32 | self._lives)
            say("up", f"{stream.life:x}")
            self._live(client, stream)
            client.close()
            self._resources = self._resources or Resources()
            self._resources.check(0)

    def _live(self, client: Any, stream: Stream) -> None:
        most = self._rng.choice((1, 30, 1000, 5000))
        try:
            while stream.sent < most and not told_to_end():
                self._burst(client, stream)
            self._leave(client, stream)
        except comch.ConnectionReset:
            self._hear_once(client, stream)
            say("reset", f"{stream.life:x}")
        except comch.Shutdown as error:
            raise Fault(f"the server left life {stream.life:x} without a word") from error

    def _receive(self, client: Any, stream: Stream, timeout: float) -> bool:
        """Check the next message; False when none comes within the time."""
        try:
            message = quiet(client, timeout)
        except comch.ConnectionReset:
            self._told += 1
            raise
        if message is not None:
            stream.take(message.data)
        return message is not None

    def _burst(self, client: Any, stream: Stream) -> None:
        for _ in range(self._rng.randint(1, 100)):
            if not stream.send():
                break
        timeout = self._rng.choice((0, 0.001))
        for _ in range(self._rng.randint(0, 100)):
            if not self._receive(client, stream, timeout):
                return

    def _leave(self, client: Any, stream: Stream) -> None:
        """Say the last message, and wait for the server's."""
        self._until(lambda: stream.send(last=True), client, stream)
        self._until(lambda: stream.ended, client, stream)
        say("left", f"{stream.life:x}")

    def _until(self, done: Callable[[], bool], client: Any, stream: Stream) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not done():
            if time.monotonic() > deadline:
                raise Fault(f"life {stream.life:x} waits in vain for its server: {stream.sent} {stream.received}")
            self._receive(client, stream, 0.01)

    def _hear_once(self, client: Any, stream: Stream) -> None:
        """A send may have told the loss first; receive tells it once all the same, after what had arrived."""
        deadline = time.monotonic() + PATIENCE_S
        while self._told < 1 and time.monotonic() < deadline:
            with suppress(comch.ConnectionReset):
                self._receive(client, stream, 0.01)
        with suppress(comch.ConnectionReset):
            if self._receive(client, stream, 0.01):
                raise Fault(f"a message came after the server's loss had been told in life {stream.life:x}")
        if self._told != 1:
            raise Fault(f"receive told the server's loss {self._told} times in life {stream.life:x}")


def main(face: str, role: str, seed: str) -> None:
    rng = random.Random(seed)
    try:
        if face in FACES:
            (ServerSide if role == "server" else ClientSide)(FACES[face](), rng).run()
        else:
            (callbacks.ServerSide if role == "server" else callbacks.ClientSide)(rng).run()
    except Exception as error:
        say("FAULT", f"{role} {os.getpid()}, seed {seed}: {type(error).__name__}: {error}")
        raise


if __name__ == "__main__":
    main(*sys.argv[1:])
