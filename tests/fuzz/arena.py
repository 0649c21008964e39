"""A victim in a process of its own, a good side that it must serve all the while, and the hostile ones."""

from __future__ import annotations

import random
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType

from comch_next import State
from comch_next.driver.emulated._fabric.meeting import Listener, dial
from tests.control_path.pair import HOST, Side, client, leave, server, until
from tests.fuzz import victim as tasks
from tests.fuzz.grammar import Case
from tests.fuzz.peer import Peer
from tests.fuzz.victim import BAD, GOOD
from tests.processes import SOON_S, Child, StartPython
from tests.stress.talk import Talk

_ANSWER_S = SOON_S
_FDS_SLACK = 3  # what a victim makes when it is first needed
_BYTES_SLACK = 64 << 20
_DPU_PCI, _HOST_PCI = "0000:03:00.0", "0000:b1:00.0"


class Arena:
    """Call `play` for every case; AssertionError says which promise has been broken. `victim` is its module."""

    def __init__(self, start: StartPython, role: str, victim: ModuleType) -> None:
        self._role = role
        self._paths = 2 if victim is tasks else 1  # one that pulls has no consumer
        self._token = random.getrandbits(63) | 1 << 62
        self._listener = Listener(_DPU_PCI, _HOST_PCI, BAD) if role == "client" else None
        self._partner = 0
        self.met = 0  # hostile peers that the victim has had a connection with
        if role == "client":
            self._good = self._configured(server(GOOD))
            self._good.context.start()
        self._victim: Child = start("-m", victim.__name__, role, str(self._token))
        self._wait_for("ready")
        if role == "server":
            self._good = self._configured(client(GOOD, host=HOST))
            self._good.context.start()
        until(lambda: self._good.state is State.RUNNING and (role == "server" or self._good.up), self._good.engine)
        self._talk = Talk(self._good.context, self._good.connection, random.Random(self._token), self._token)
        self._exchange(4)
        self._at_first: tuple[int, int] | None = None
        self._fds_slack = _FDS_SLACK

    def _configured(self, side: Side) -> Side:
        side.context.event_consumer_register(self._hear_of, lambda *_: None)
        return side

    def _hear_of(self, _: object, consumer_id: int) -> None:
        self._partner = consumer_id

    # The victim

    def _wait_for(self, text: str) -> str:
        self._victim.deadline = time.monotonic() + _ANSWER_S
        return self._victim.wait_for(text)

    def _ask(self, command: str, meanwhile: Callable[[], None] = lambda: None) -> str:
        """Have the victim do it; what it answers begins with the command."""
        self._victim.say(command + "\n")
        meanwhile()
        return self._wait_for(command)

    def _serve(self, command: str, meanwhile: Callable[[], None] = lambda: None) -> None:
        """The same, and see that it serves the good side, too."""
        self._ask(command, meanwhile)
        self._exchange(1)

    def _exchange(self, count: int) -> None:
        """Numbered messages there and back on all paths; each answer is checked by the streams."""
        talk = self._talk
        streams = (talk.control, talk.lane)[: self._paths]
        wanted = [stream.sent + count for stream in streams]

        def answered() -> bool:
            talk.partner(self._partner)
            for stream, most in zip(streams, wanted, strict=True):
                while stream.sent < most and stream.send():
                    pass
            for data in self._good.messages:
                talk.control.take(data)
            self._good.messages.clear()
            talk.turn()
            return all(stream.received == most for stream, most in zip(streams, wanted, strict=True))

        until(answered, self._good.engine)

    # A case

    def play(self, case: Case) -> None:
        """Play it, see that the victim can rest, and that nothing of it is left."""
        peer = Peer(self._connected(), self._serve, as_client=self._role == "server")
        try:
            peer.play(case)
            self._serve("turn")
            self._ask("rest")
        finally:
            peer.close()
        self._exchange(2)
        held = self._check()
        self._at_first = self._at_first or held
        assert held[0] <= self._at_first[0] + self._fds_slack, f"{held[0]} descriptors, {self._at_first[0]} at first"
        assert held[1] <= self._at_first[1] + _BYTES_SLACK, f"{held[1]} bytes of memory, {self._at_first[1]} at first"

    def settle(self) -> None:
        """From here on no case leaves a descriptor: what a victim makes when it is first needed has been made."""
        self._at_first, self._fds_slack = self._check(), 0

    def _check(self) -> tuple[int, int]:
        """What the victim holds, in descriptors and bytes."""
        _, descriptors, size, met = self._ask("check").split()
        self.met = int(met) - 1
        return int(descriptors), int(size)

    def _connected(self) -> socket.socket:
        if self._listener is None:
            return dial(_DPU_PCI, _HOST_PCI, GOOD)
        self._ask("dial")
        return self._listener.socket.accept()[0]

    def end(self) -> None:
        """Nothing more is wanted of the victim: it ends by itself."""
        self._victim.deadline = time.monotonic() + _ANSWER_S
        assert self._victim.finish().returncode == 0

    def close(self) -> None:
        """The victim is gone, if it was not already; the good side notices, and gives everything back."""
        self._victim.kill()
        until(self._talk.idle, self._good.engine)
        self._talk.close()
        leave(self._good)
        if self._listener is not None:
            self._listener.close()


@contextmanager
def arena(start: StartPython, role: str, victim: ModuleType) -> Iterator[Arena]:
    """An arena that is given back, whatever has happened in it."""
    made = Arena(start, role, victim)
    try:
        yield made
        made.end()
    finally:
        made.close()
