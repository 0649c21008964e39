"""The processes under stress that use tasks, callbacks and the fast path of comch_next."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable

import comch_next as comch
from comch_next import State
from tests.stress.faces import DPU, HOST, NAME
from tests.stress.process import END_S, MOST_CLIENTS, PATIENCE_S, depth, say, told_to_end
from tests.stress.stream import Fault, Resources
from tests.stress.talk import Talk, done, failed

_FDS = 16  # of a connection with a consumer and a producer
_STATES = [State.STARTING, State.RUNNING, State.STOPPING, State.IDLE]  # of a client, lost or not, each told once
_TASKS = 256  # shared by all clients of a server


class ServerSide:
    """Serves whoever comes, on both paths."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._talks: dict[comch.Connection, Talk] = {}
        self._met: list[Talk] = []
        self._leaving: list[Talk] = []
        self._server = comch.Server(comch.open_device(DPU), HOST, NAME, recv_queue_size=depth(rng))
        self._server.task_send_set_conf(done, failed, _TASKS)
        self._server.event_msg_recv_register(self._take)
        self._server.event_connection_status_changed_register(self._up, self._down)
        self._server.event_consumer_register(self._partner, self._expired)
        self._server.start()
        self._resources = Resources(_FDS)
        say("listening")

    def _up(self, connection: comch.Connection, ok: bool) -> None:
        if ok:
            self._talks[connection] = Talk(self._server, connection, self._rng)

    def _partner(self, connection: comch.Connection, consumer_id: int) -> None:
        self._talks[connection].partner(consumer_id)

    def _expired(self, connection: comch.Connection, consumer_id: int) -> None:
        self._talks[connection].expired(consumer_id)

    def _down(self, connection: comch.Connection, ok: bool) -> None:
        talk = self._talks.pop(connection)  # where it is once: a second report is a KeyError
        self._hear(talk)
        talk.check_expired()
        if ok and not talk.ended:
            raise Fault(f"life {talk.life:x} left, and not all that it sent has come")
        say("left" if ok else "reset", f"{talk.life:x}" if talk.life else "unknown")
        self._leaving.append(talk)

    def _take(self, connection: comch.Connection, data: bytes) -> None:
        talk = self._talks[connection]
        talk.control.take(data)
        self._hear(talk)

    def _hear(self, talk: Talk) -> None:
        """Whatever has come; what comes first tells whose life it is."""
        talk.turn()
        if talk.life and talk not in self._met:
            self._met.append(talk)
            say("met", f"{talk.life:x}")

    def run(self) -> None:
        """Until told to end; then until every client has gone."""
        turns = 0
        while not told_to_end():
            turns += 1
            self._turn()
            if turns % 64 == 0:
                self._resources.check(MOST_CLIENTS)
        deadline = time.monotonic() + END_S
        while (self._talks or self._leaving) and time.monotonic() < deadline:
            self._turn()
        for talk in (*self._talks.values(), *self._leaving):
            raise Fault(f"nobody said what became of life {talk.life:x}, or its contexts are not IDLE")
        self._server.close()
        self._resources.check(0)

    def _turn(self) -> None:
        self._server.engine.wait(0.002)
        while self._server.engine.progress():
            if self._rng.random() < 0.1:
                break
        for talk in list(self._talks.values()):
            self._hear(talk)
            if talk.life:
                self._talk(talk)
        for talk in [talk for talk in self._leaving if talk.idle()]:
            talk.close()
            self._leaving.remove(talk)
            if talk in self._met:
                self._met.remove(talk)

    def _talk(self, talk: Talk) -> None:
        """A few messages on each path, and the last ones when the client has sent its last on both."""
        if talk.ended:
            for stream in (talk.control, talk.lane):
                if not stream.over:
                    stream.send(last=True)
            return
        for stream in (talk.control, talk.lane):
            for _ in range(self._rng.randrange(8)):
                if not stream.send():
                    break


class ClientSide:
    """One life after the other: connects, talks on both paths for a while, and leaves in order."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._device = comch.open_device(HOST)
        self._lives = 0
        self._resources: Resources | None = None
        self._talk: Talk | None = None
        self._states: list[State] = []

    def run(self) -> None:
        while not told_to_end():
            client = comch.Client(self._device, NAME, recv_queue_size=depth(self._rng))
            client.task_send_set_conf(done, failed, depth(self._rng))
            client.event_msg_recv_register(lambda _, data: self._here().control.take(data))
            client.event_consumer_register(self._partner, self._expired)
            client.set_state_changed_cb(self._on_state)
            self._states.clear()
            self._dial(client)
            if self._talk is not None:
                self._live(client, self._talk)
            client.close()
            if self._talk is not None and self._states != _STATES:
                raise Fault(f"life {self._talk.life:x} was told of {[state.name for state in self._states]}")
            self._talk = None
            self._resources = self._resources or Resources(_FDS)
            self._resources.check(0)

    def _partner(self, _: comch.Connection, consumer_id: int) -> None:
        self._here().partner(consumer_id)

    def _expired(self, _: comch.Connection, consumer_id: int) -> None:
        self._here().expired(consumer_id)

    def _here(self) -> Talk:
        assert self._talk is not None
        return self._talk

    def _on_state(self, context: comch.Context, _: State, new: State) -> None:
        """In the instant that it is up: what comes next may be the other side's consumer."""
        assert isinstance(context, comch.Client)
        self._states.append(new)
        if new is State.RUNNING:
            self._lives += 1
            self._talk = Talk(context, context.connection, self._rng, os.getpid() << 32 | self._lives)
            say("up", f"{self._talk.life:x}")

    def _dial(self, client: comch.Client) -> None:
        deadline = time.monotonic() + PATIENCE_S
        client.start()
        while client.state is State.STARTING and time.monotonic() < deadline:
            client.engine.wait(0.05)
            client.engine.progress()
        if self._talk is None:
            time.sleep(0.005)  # the server is being started again

    def _live(self, client: comch.Client, talk: Talk) -> None:
        most = self._rng.choice((1, 30, 300, 1000))
        while min(talk.control.sent, talk.lane.sent) < most and client.state is State.RUNNING and not told_to_end():
            self._burst(client, talk)
        for stream in (talk.control, talk.lane):
            self._until(lambda stream=stream: stream.send(last=True), client, talk)  # type: ignore[misc]
        self._until(lambda: talk.ended, client, talk)
        lost = client.state is not State.RUNNING
        if lost:
            talk.check_expired()
        else:
            talk.stop()
        self._until(talk.idle, client, talk, even_lost=True)
        say("reset" if lost else "left", f"{talk.life:x}")
        talk.close()

    def _burst(self, client: comch.Client, talk: Talk) -> None:
        for stream in (talk.control, talk.lane):
            for _ in range(self._rng.randrange(32)):
                if not stream.send():
                    break
        self._turn(client, talk)

    def _turn(self, client: comch.Client, talk: Talk) -> None:
        client.engine.wait(0.001)
        client.engine.progress()
        talk.turn()

    def _until(self, done: Callable[[], bool], client: comch.Client, talk: Talk, *, even_lost: bool = False) -> None:
        """Turn until it is done, or the connection has been lost."""
        deadline = time.monotonic() + PATIENCE_S
        while (even_lost or client.state is State.RUNNING) and not done():
            if time.monotonic() > deadline:
                counts = [(stream.sent, stream.received) for stream in (talk.control, talk.lane)]
                raise Fault(f"life {talk.life:x} waits in vain for its server: {counts}")
            self._turn(client, talk)
