"""Two ends in either form of the pull port, in this process or with a peer in another one."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, TypeVar

import pytest

import comch_next as comch
from comch_next._threaded._helper import Helper, _helpers
from comch_next.pull import PullPort
from tests.processes import SOON_S

DPU, HOST, NAME = "03:00.0", "b1:00.0", "svc"
FORMS = ("driver", "threaded")
SPINS = 10  # turns that only one takes who does not sleep
T = TypeVar("T")
Engine = comch.ProgressEngine | None

# A client that does what it is told on its standard input.
PEER = """
import contextlib, os, signal, sys
import comch_next as comch
with contextlib.closing(comch.Client(comch.open_device("b1:00.0"), "svc")) as client:
    client.connect(timeout=60)
    print("up", flush=True)
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "send":
            client.connection.send(rest.encode(), timeout=60)
            print("sent", flush=True)
        elif word == "echo":
            for _ in range(int(rest)):
                client.receive(timeout=60).reply(b"!", timeout=60)
        elif word == "receive":
            print(client.receive(timeout=60).data.decode(), flush=True)
        elif word == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif word == "leave":
            break
print("left", flush=True)
"""


def until(check: Callable[[], T | None], timeout_s: float = SOON_S) -> T:
    """The first true answer; AssertionError when there is none in time."""
    deadline = time.monotonic() + timeout_s
    while not (answer := check()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.0002)
    return answer


def ready(fd: int, timeout_s: float = 0.0) -> bool:
    """Whether epoll finds the descriptor readable within the time."""
    with select.epoll() as poller:
        poller.register(fd, select.EPOLLIN)
        return bool(poller.poll(timeout_s))


def helpers_rest() -> bool:
    """Whether every helper thread of this process sleeps, and nothing that is there wakes it."""
    helpers = list(_helpers)
    moves = sum(helper.moves for helper in helpers)
    return all(map(_rests, helpers)) and sum(helper.moves for helper in helpers) == moves  # none has roused another


def _rests(helper: Any) -> bool:
    with helper.lock:
        if helper._thread is None:
            return True
        wakes = [helper._wake.fd]
        if not helper.rest():
            wakes.append(helper._engines.get_notification_handle(helper._pe))
        return helper._asleep and not any(map(ready, wakes))


@contextmanager
def helper_turns() -> Iterator[list[Helper]]:
    """Whose helper threads have taken turns, or tried to, in the block: one that sleeps takes none."""
    turns: list[Helper] = []
    turn = Helper.turn

    def noted(helper: Helper) -> bool:
        turns.append(helper)
        return turn(helper)

    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(Helper, "turn", noted)
        yield turns


class End(NamedTuple):
    """One side: its context, its port, and its connection to the other side."""

    context: Any
    port: PullPort
    connection: comch.Connection

    def send(self, data: bytes) -> bool:
        return self.port.send(self.connection, data)

    def receive(self) -> bytes:
        """The next message, waited for."""
        return until(self.port.receive)[0]


class Stage:
    """Makes contexts with ports, brings them together, and closes them all."""

    def __init__(self) -> None:
        self.dpu = comch.open_device(DPU)
        self.host = comch.open_device(HOST)
        self.contexts: list[Any] = []

    def server(
        self,
        form: str,
        *,
        name: str = NAME,
        engine: Engine = None,
        recv_queue_size: int | None = None,
        one_sided: bool = False,
        **port: Any,
    ) -> PullPort:
        rep = self.dpu.open_representor(HOST) if one_sided else HOST  # as generation 1, which took no address
        server = comch.Server(self.dpu, rep, name, engine=engine, recv_queue_size=recv_queue_size, one_sided=one_sided)
        return self._port(server, form, port)

    def client(
        self,
        form: str,
        *,
        name: str = NAME,
        engine: Engine = None,
        recv_queue_size: int | None = None,
        one_sided: bool = False,
        **port: Any,
    ) -> PullPort:
        client = comch.Client(self.host, name, engine=engine, recv_queue_size=recv_queue_size, one_sided=one_sided)
        return self._port(client, form, port)

    def _port(self, context: Any, form: str, options: dict[str, Any]) -> PullPort:
        self.contexts.append(context)
        return PullPort(context, threaded=form == "threaded", **options)

    def meet(self, server: PullPort, client: PullPort) -> tuple[End, End]:
        """Both ends, up; the server is started when it is not running."""
        if server.context.state is comch.State.IDLE:
            server.context.start()
        client.context.start()
        own: Any = client.context
        mine: comch.Connection = own.connection
        theirs = until(server.accept)
        until(lambda: client.status(mine) == comch.ErrorCode.SUCCESS)
        return End(server.context, server, theirs), End(client.context, client, mine)

    def pair(self, server: str, client: str) -> tuple[End, End]:
        return self.meet(self.server(server), self.client(client))

    def close(self) -> None:
        for context in self.contexts:
            with suppress(comch.NotConnected):  # a one-sided context that the test has closed
                context.close()
        self.host.close()
        self.dpu.close()
