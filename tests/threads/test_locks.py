"""Locks of engines: nobody waits for ever where threads need two; what was seen without one is looked for with it."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

import comch_next as comch
from comch_next import Client, ProgressEngine
from comch_next._one_sided import Endings
from tests.control_path.pair import DPU, HOST, REP, client, connect, leave, server
from tests.processes import SOON_S
from tests.threads.test_two_threads import Worker

_MOMENT_S = 0.2
_ROUNDS = 400


class Lock:
    """An engine's lock that calls `hook` when it is asked for, or has been got; once each."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.asked: Callable[[], object] | None = None
        self.got: Callable[[], object] | None = None
        self.askers: list[int] = []  # threads

    def acquire(self, *, timeout: float = -1) -> bool:
        self.askers.append(threading.get_ident())
        hook, self.asked = self.asked, None
        if hook is not None:
            hook()
        if not self._lock.acquire(timeout=timeout):
            return False
        hook, self.got = self.got, None
        if hook is not None:
            hook()
        return True

    def release(self) -> None:
        self._lock.release()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


def meet(locks: list[Lock], *calls: Callable[[], object]) -> None:
    """Make the calls on threads, each of which has a lock before the other goes on, if that can be."""
    barrier = threading.Barrier(2)

    def wait() -> None:
        with suppress(threading.BrokenBarrierError):
            barrier.wait(_MOMENT_S)

    for lock in locks:
        lock.got = wait
    for worker in [Worker(call) for call in calls]:
        worker.result()


@pytest.fixture
def locks() -> list[Lock]:
    return [Lock(), Lock()]


@pytest.fixture
def engines(locks: list[Lock], runtime_dir: object) -> list[ProgressEngine]:
    return [ProgressEngine(_lock=lock) for lock in locks]


def test_two_contexts_exchange_their_engines(locks: list[Lock], engines: list[ProgressEngine]) -> None:
    device = comch.open_device(HOST)
    first, second = (Client(device, "svc", engine=engine) for engine in engines)
    meet(locks, lambda: first.configure(engine=engines[1]), lambda: second.configure(engine=engines[0]))
    assert (first.engine, second.engine) == (engines[1], engines[0])


def test_contexts_of_other_engines_are_connected(locks: list[Lock], engines: list[ProgressEngine]) -> None:
    device = comch.open_device(HOST)
    first, second = (Client(device, "svc", engine=engine) for engine in engines)
    refusals: list[int] = []

    def attempt(engine: ProgressEngine, context: Client) -> None:
        refusals.append(comch.outcome(engine._engines.connect_ctx, engine._handle, context._handle)[0])

    meet(locks, lambda: attempt(engines[0], second), lambda: attempt(engines[1], first))
    assert refusals == [comch.ErrorCode.NOT_PERMITTED] * 2


def test_a_message_that_another_thread_takes_between_the_look_and_the_lock(
    locks: list[Lock], engines: list[ProgressEngine]
) -> None:
    """A progress finds a message, and another thread delivers it, and looks at the rings as often as chance has it."""
    engine, chance = engines[0], random.Random(1)
    there = server(engine=engine)
    here = client()
    connect(there, here)

    def overtake(looks: int) -> None:
        engine.progress()
        time.sleep(0.0011)  # then sockets are looked at, too
        for _ in range(looks):
            engine.progress()

    for number in range(_ROUNDS):
        there.messages.clear()
        here.send(b"%d" % number)
        locks[0].asked = partial(overtake, chance.randrange(30))
        for _ in range(4):
            engine.progress()
        here.engine.progress()
        assert there.messages == [b"%d" % number]
    leave(here, there)


def test_a_send_on_the_port_of_an_engine_that_the_context_has_left(
    locks: list[Lock], engines: list[ProgressEngine], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has that engine's lock, and asks for no other one."""
    monkeypatch.setenv("COMCH_PULL", "threaded")
    with comch.Server(comch.open_device(DPU), REP, "svc"), comch.open_device(HOST) as device:
        here = Client(device, "svc", engine=engines[0])
        connection = here.connect(timeout=SOON_S)
        assert here.port is not None
        port: Any = here.port._port
        here.disconnect()
        here.engine = engines[1]
        locks[1].askers.clear()
        with pytest.raises(comch.DocaError) as raised:
            port.send(connection._handle, b"x")
        assert raised.value.connection is connection
        assert threading.get_ident() not in locks[1].askers
        here.close()


def test_an_end_that_another_thread_reports_first() -> None:
    """It comes between the questions whether there is one and which."""

    class Port:
        @property
        def pending(self) -> int:
            ends._errors.clear()
            return 0

    ends = Endings(Port())  # type: ignore[arg-type]
    ends._errors[object()] = None  # type: ignore[index]
    ends.raise_error()


def test_producers_whose_clients_have_exchanged_their_engines(locks: list[Lock], engines: list[ProgressEngine]) -> None:
    """Each was to have its client's engine, whichever that is when it starts, and holds no other one's lock then."""
    there = comch.Server(comch.open_device(DPU), REP, "svc")
    there.listen()
    device = comch.open_device(HOST)
    clients = [Client(device, "svc", engine=engine) for engine in engines]
    for one in clients:
        one.connect(timeout=0)
    while any(one.state is not comch.State.RUNNING for one in clients):
        comch.outcome(there.receive, timeout=0)
        for engine in engines:
            engine.progress()
    producers = [comch.Producer(one.connection) for one in clients]
    there.close()
    while any(one.state is not comch.State.IDLE for one in clients):
        for one in clients:
            comch.outcome(one.receive, timeout=0)
    for one, engine in zip(clients, reversed(engines), strict=True):
        one.engine = engine
    meet(locks, *(partial(comch.outcome, producer.start) for producer in producers))
    assert [producer.engine for producer in producers] == [*reversed(engines)]
    for context in (*producers, *clients):
        context.close()
