"""The process under fuzzing that pulls: `puller server TOKEN` or `puller client TOKEN`, until its input ends.

It is told what victim.py is told, and has neither callbacks nor tasks: one-sided contexts, on which the endpoints of
generation 1 stand, in the form of COMCH_PULL.
"""

from __future__ import annotations

import random
import select
import sys
import time
from collections.abc import Callable, Iterator

import comch_next as comch
from tests.fuzz.victim import BAD, DPU, END_S, GOOD, HOST, LOOKS, NAP_S, TURNS, held, obey, run
from tests.stress.stream import Fault, Stream

_CODES = comch.ErrorCode
_REFUSALS = (
    _CODES.SUCCESS,
    _CODES.AGAIN,
    _CODES.CONNECTION_ABORTED,
    _CODES.CONNECTION_INPROGRESS,
    _CODES.CONNECTION_RESET,
    _CODES.NOT_CONNECTED,
)


class Puller:
    """The contexts, the good connection, and the commands."""

    def __init__(self, token: bytes, *contexts: comch.Server | comch.Client) -> None:
        self._token = token
        self._contexts = contexts
        self._good: Stream | None = None
        self._met: set[comch.Connection] = set()
        self._dialled: comch.Connection | None = None

    def serve(self) -> None:
        commands: dict[str, Callable[[], str]] = {
            "turn": self._turn,
            "stop": self._turn,  # there are no consumers
            "drop": self._drop,
            "rest": self._rest,
            "check": self._check,
            "dial": self._dial,
        }
        while True:
            good = self._good
            self._sleep(0.001 if good is not None and good.sent < good.received else None, sys.stdin.fileno())
            self._look()
            if select.select([sys.stdin], [], [], 0)[0] and not obey(commands):
                return

    def _open(self) -> Iterator[tuple[comch.Server | comch.Client, comch.PullPort]]:
        for context in self._contexts:
            if context.port is not None:
                yield context, context.port

    def _sleep(self, seconds: float | None, *others: int) -> bool:
        """Whether something has come in time, and not just nothing."""
        for context, _ in self._open():
            context.arm_recv()
        handles = [context.recv_fd for context, _ in self._open()]
        return bool(select.select([*handles, *others], [], [], seconds)[0])

    def _look(self) -> None:
        """Take what has come, answer the good one, and disconnect who is lost."""
        for context, port in self._open():
            while isinstance(context, comch.Server) and port.pending:
                _, accepted = comch.outcome(port.accept)
                if accepted is not None:
                    self._met.add(accepted)
            while self._receive(context):
                pass
            self._met.update(port.connections)
        while self._good is not None and self._good.sent < self._good.received and self._good.send():
            pass

    def _receive(self, context: comch.Server | comch.Client) -> bool:
        """Whether there was something."""
        try:
            message = context.receive(timeout=0)
        except comch.ConnectionReset as error:
            if self._good is not None and error.connection is self._good.connection:
                raise Fault("the good connection has been lost") from error
            comch.outcome(context.disconnect, error.connection)
            return True
        except (comch.Again, comch.NotConnected, comch.ConnectionAborted):
            return False
        self._take(message)
        return True

    def _take(self, message: comch.Message) -> None:
        """The token must be nowhere but in what the good one sends."""
        if self._good is None and message.data.startswith(self._token):
            self._good = Stream(message.connection, random.Random(0))
        if self._good is not None and message.connection is self._good.connection:
            self._good.take(message.data)
        elif self._token in message.data:
            raise Fault("a bad connection brought what only the good one has")

    def _bad(self) -> list[tuple[comch.Server | comch.Client, comch.Connection]]:
        good = self._good and self._good.connection
        return [(context, each) for context, port in self._open() for each in port.connections if each is not good]

    # Commands

    def _turn(self) -> str:
        """Have bad ones do what they can: send something, wherever it goes; refusals are their loss."""
        for _ in range(TURNS):
            self._sleep(0.001)
            self._look()
            for _, connection in self._bad():
                code, _ = comch.outcome(connection.send, b"x", timeout=0)
                if code not in _REFUSALS:
                    raise Fault(f"sending to a bad connection failed with {code!r}")
        return ""

    def _drop(self) -> str:
        """End bad connections, as far as they can be."""
        for context, connection in self._bad():
            comch.outcome(context.disconnect, connection)
        self._look()
        return ""

    def _rest(self) -> str:
        """Sleep, whatever the bad ones are doing by holding still."""
        for _ in range(LOOKS):
            if not self._sleep(NAP_S):
                return ""
            self._look()
        raise Fault("nobody wants anything, and it cannot sleep")

    def _check(self) -> str:
        """See that no bad connection is left; tell what is held."""
        deadline = time.monotonic() + END_S
        while self._bad():
            if time.monotonic() > deadline:
                raise Fault(f"{len(self._bad())} bad connections are left")
            self._sleep(0.001)
            self._look()
        return held(len(self._met))

    def _dial(self) -> str:
        """Connect to the bad server; nobody has told of a connection before that it left in order."""
        bad = self._contexts[0]
        assert isinstance(bad, comch.Client)
        if self._dialled is not None:
            comch.outcome(bad.disconnect, self._dialled)
        self._dialled = bad.connect(timeout=0)
        return ""


def _made(role: str, life: bytes) -> Puller:
    if role == "server":
        dpu = comch.open_device(DPU)
        server = comch.Server(dpu, dpu.open_representor(HOST), GOOD, one_sided=True)
        server.listen()
        return Puller(life, server)
    host = comch.open_device(HOST)
    good = comch.Client(host, GOOD, one_sided=True)
    good.connect(timeout=0)
    return Puller(life, comch.Client(host, BAD, one_sided=True), good)


if __name__ == "__main__":
    run(_made)
