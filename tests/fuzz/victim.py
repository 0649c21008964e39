"""The process under fuzzing: `victim server TOKEN` or `victim client TOKEN`, on one engine, until its input ends.

It has a good connection, which is known by the token and whose every message it answers, and bad ones. It does what
it is told by lines on its input, and answers each with one line; between them it sleeps until its engine rouses it.
"""

from __future__ import annotations

import os
import random
import select
import struct
import sys
import time
from collections.abc import Callable, Mapping
from typing import Protocol

import comch_next as comch
from comch_next import State
from tests.fuzz.link import Link
from tests.stress.process import say
from tests.stress.stream import Fault
from tests.stress.talk import done, failed

DPU, HOST, GOOD, BAD = "03:00.0", "b1:00.0", "good", "bad"
TURNS = 4
LOOKS = 1000  # until it sleeps: one takes a datagram from each socket, and a socket holds some 300
NAP_S = 0.02
END_S = 60.0


class Serving(Protocol):
    """What does as it is told until its input ends."""

    def serve(self) -> None: ...


class Victim:
    """The engine, the links on it, and the commands."""

    def __init__(self, token: bytes) -> None:
        self.engine = comch.ProgressEngine()
        self.token = token
        self.links: dict[comch.Connection, Link] = {}
        self._leaving: list[Link] = []
        self._rng = random.Random(0)  # whose memory consumers have
        self._met = 0  # links there have ever been

    def configure(self, context: comch.Server | comch.Client) -> None:
        """What a server and a client have in common."""
        context.task_send_set_conf(done, failed, 512)
        context.event_msg_recv_register(lambda connection, data: self.links[connection].message(data))
        context.event_consumer_register(
            lambda connection, number: self.links[connection].partner(number),
            lambda connection, number: self._expired(connection, number),
        )

    def _expired(self, connection: comch.Connection, number: int) -> None:
        if connection in self.links:  # else all of them have, with it
            self.links[connection].expired(number)

    def up(self, context: comch.Server | comch.Client, connection: comch.Connection) -> None:
        self.links[connection] = Link(context, connection, self._rng, self.token)
        self._met += 1

    def down(self, connection: comch.Connection) -> None:
        """Told once: a second time there is no link."""
        link = self.links.pop(connection)
        if link.good:
            raise Fault("the good connection has been lost")
        self._leaving.append(link)

    # Commands

    def serve(self) -> None:
        commands: dict[str, Callable[[], str]] = {
            "turn": self._turn,
            "stop": self._stop,
            "drop": self._drop,
            "rest": self._rest,
            "check": self._check,
            "dial": self.dial,
        }
        waiting = select.poll()
        waiting.register(sys.stdin, select.POLLIN)
        waiting.register(self.engine.notification_handle, select.POLLIN)
        while True:
            self.engine.request_notification()
            owing = any(link.owes() for link in self.links.values())
            ready = [fd for fd, _ in waiting.poll(1 if owing else None)]
            self.engine.clear_notification()
            self._progress()
            if sys.stdin.fileno() in ready and not obey(commands):
                return

    def _progress(self) -> None:
        while self.engine.progress():
            pass
        for link in list(self.links.values()):
            link.turn()

    def dial(self) -> str:
        return "nobody"

    def _turn(self) -> str:
        for _ in range(TURNS):
            self.engine.wait(0.001)
            self._progress()
            for link in self.links.values():
                link.provoke()
        return ""

    def _stop(self) -> str:
        """Stop the consumers of bad connections, or help them on to the next state."""
        for link in self.links.values():
            link.move_on()
        self._progress()
        return ""

    def _drop(self) -> str:
        """End bad connections, as far as they can be."""
        for link in [link for link in self.links.values() if not link.good]:
            link.talk.stop()
            link.let_go()
            self._progress()
            comch.outcome(self.end, link.talk.connection)
        self._progress()
        return ""

    def end(self, connection: comch.Connection) -> None:
        """From this side; IN_USE while its consumer is being written to."""

    def _rest(self) -> str:
        """Sleep, whatever the bad ones are doing by holding still."""
        for _ in range(LOOKS):
            if not self.engine.wait(NAP_S):
                return ""
            self.engine.progress()
        raise Fault("nobody wants anything, and it cannot sleep")

    def _check(self) -> str:
        """Give back what bad connections left; tell what is held."""
        deadline = time.monotonic() + END_S
        while self._leaving or any(not link.good for link in self.links.values()):
            for link in self._leaving:
                link.let_go()
            for link in [link for link in self._leaving if link.talk.idle()]:
                link.talk.close()
                self._leaving.remove(link)
            if time.monotonic() > deadline:
                raise Fault(f"{len(self.links)} connections, {len(self._leaving)} on their way out")
            self.engine.wait(0.001)
            self._progress()
        return held(self._met)


class ServerVictim(Victim):
    """A server: the good client is one of those that connect."""

    def __init__(self, token: bytes) -> None:
        super().__init__(token)
        self._server = comch.Server(comch.open_device(DPU), HOST, GOOD, engine=self.engine)
        self.configure(self._server)
        self._server.event_connection_status_changed_register(self._up, lambda connection, _: self.down(connection))
        self._server.start()

    def _up(self, connection: comch.Connection, ok: bool) -> None:
        if ok:
            self.up(self._server, connection)

    def end(self, connection: comch.Connection) -> None:
        self._server.disconnect(connection)


class ClientVictim(Victim):
    """Two clients on one engine: one of the good server, one that dials the bad one whenever it is told to."""

    def __init__(self, token: bytes) -> None:
        super().__init__(token)
        self._bad = self._made(BAD)
        self._good = self._made(GOOD)
        self._good.start()

    def _made(self, name: str) -> comch.Client:
        client = comch.Client(comch.open_device(HOST), name, engine=self.engine)
        self.configure(client)
        client.set_state_changed_cb(self._on_state)
        return client

    def _on_state(self, context: comch.Context, old: State, new: State) -> None:
        assert isinstance(context, comch.Client)
        if new is State.RUNNING:
            self.up(context, context.connection)
        elif old is State.RUNNING:  # by itself, or told to stop
            self.down(next(connection for connection in self.links if connection.client is context))

    def end(self, connection: comch.Connection) -> None:
        self._bad.stop()

    def dial(self) -> str:
        self._bad.start()
        self.engine.progress()
        return ""


def held(met: int) -> str:
    """What this process holds, in descriptors and bytes, and the number of connections that it has met."""
    with open("/proc/self/statm") as statm:
        pages = int(statm.read().split()[1])
    return f"{len(os.listdir('/proc/self/fd'))} {pages * os.sysconf('SC_PAGESIZE')} {met}"


def obey(commands: Mapping[str, Callable[[], str]]) -> bool:
    """Do what the next line says, and answer it. Whether there was one."""
    command = sys.stdin.readline().strip()
    if command:
        say(command, commands[command]())
    return bool(command)


def run(make: Callable[[str, bytes], Serving]) -> None:
    """The process, given what serves by its role and the token."""
    role, token = sys.argv[1:]
    try:
        victim = make(role, struct.pack("<Q", int(token)))
        say("ready")
        victim.serve()
    except Exception as error:
        say("FAULT", f"{type(error).__name__}: {error}")
        raise


if __name__ == "__main__":
    run(lambda role, life: ServerVictim(life) if role == "server" else ClientVictim(life))
