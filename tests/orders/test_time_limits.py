"""A call with a timeout ends in time, however much others give it to do: the clock of these tests counts its readings.

Each world keeps a call busy without bringing what it waits for, and counts the rounds.
"""

from __future__ import annotations

import asyncio
import select
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from comch_next import aio
from comch_next import engine as engine_module
from comch_next._life import Life
from tests.orders.support import NAME, OTHER_NAME, REP, World, comch, connect, fill, introduce, until
from tests.pull.support import FORMS

TIMEOUT_S = 10.0  # readings of the clock
MOST_ROUNDS = 100


class Endless(AssertionError):
    """The call has not ended after its limit."""


class Rounds:
    """Counts what a call does over and over."""

    def __init__(self, work: Callable[[], object]) -> None:
        self.work = work
        self.count = 0

    def __call__(self) -> None:
        self.count += 1
        if self.count > MOST_ROUNDS:
            raise Endless
        self.work()


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COMCH_PULL", request.param)
    return str(request.param)


@pytest.fixture
def tell_time(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Have the clock of deadlines go on by a second with each reading, from now on, on this thread."""
    this = threading.get_ident()

    def start() -> None:
        now = [time.monotonic()]

        def monotonic() -> float:
            if threading.get_ident() == this:
                now[0] += 1.0
            return now[0]

        monkeypatch.setattr(engine_module, "monotonic", monotonic)

    return start


def wait_ready(fd: int) -> None:
    """Wait until the descriptor is readable, by the clock of the kernel."""
    assert select.select([fd], [], [], 60)[0]


def is_full(form: str, connection: Any, receiver: Any) -> bool:
    """Fill the queue up, and return whether it stays full: the receiver's helper thread has stopped before a send."""
    fill(connection)
    return (form == "driver" or receiver.port._port.is_full()) and fill(connection) == 0


def work_when_armed(context: Any, call: str, work: Callable[[], object]) -> None:
    """Do the work whenever the context arms a descriptor of its port by that call, and wait until it is ready."""
    port, descriptor = context.port, {"arm_recv": "recv_fd", "arm_send": "send_fd"}[call]
    arm, rounds = getattr(type(port), call), Rounds(work)

    def armed() -> None:
        arm(port)
        rounds()
        wait_ready(getattr(port, descriptor))

    setattr(port, call, armed)


class Crowd:
    """Clients of a server that connect one after the other, and send nothing."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.engine = comch.ProgressEngine()

    def come(self) -> None:
        self.world.client(engine=self.engine).connect(NAME, timeout=0)


# Descriptors that are ready all the time


def test_a_send_while_those_to_others_end(world: World, form: str, tell_time: Callable[[], None]) -> None:
    server = world.server()
    clients = world.client(), world.client()
    slow, quick = (introduce(connect(client, server), server) for client in clients)

    def settle() -> None:
        """Fill the other client's queue up, until its helper thread, if it has one, does not empty it either."""
        until(lambda: is_full(form, quick, clients[1]))

    def deliver_and_refill() -> None:
        """Messages to the other client end, and others take their places."""
        until(lambda: clients[1].try_receive()[0] is comch.ErrorCode.SUCCESS and fill(quick))
        settle()

    settle()
    fill(slow)
    work_when_armed(server, "arm_send", deliver_and_refill)
    tell_time()
    with pytest.raises(comch.TimeOut):
        server.send_to(b"x", slow, timeout=TIMEOUT_S)


@pytest.mark.parametrize("one_sided", [False, True])
def test_a_receive_while_clients_come(world: World, form: str, tell_time: Callable[[], None], one_sided: bool) -> None:
    server = world.server(one_sided=one_sided)
    work_when_armed(server, "arm_recv", Crowd(world).come)
    tell_time()
    with pytest.raises(comch.TimeOut):
        server.receive(timeout=TIMEOUT_S)
    assert server.try_receive(timeout=TIMEOUT_S)[0] is comch.ErrorCode.TIME_OUT


def test_what_has_come_by_the_deadline_is_received(world: World, form: str, tell_time: Callable[[], None]) -> None:
    """A call that has slept looks once more."""
    server = world.server()
    client = world.client()
    connection = connect(client, server)
    work_when_armed(server, "arm_recv", lambda: connection.send(b"in time"))
    tell_time()
    assert server.receive(timeout=1.5).data == b"in time"


def test_a_receive_of_a_blocking_channel_while_clients_come(
    world: World, form: str, tell_time: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = comch.BlockingChannel(comch.InitAttr())
    channel.listen(NAME)
    crowd = Crowd(world)
    arm, rounds = Life.arm, Rounds(crowd.come)

    def armed(life: Life) -> None:
        arm(life)
        rounds()
        wait_ready(life.fileno())

    monkeypatch.setattr(Life, "arm", armed)
    tell_time()
    with pytest.raises(comch.TimeOut):
        channel.receive(timeout=TIMEOUT_S)
    channel.close()


def test_a_receive_of_an_event_loop_is_cancelled_while_clients_come(world: World, form: str) -> None:
    async def main() -> None:
        async with aio.serve(world.dpu, REP, NAME) as server:
            crowd = Crowd(world)
            receiving = asyncio.ensure_future(server.receive())

            def come() -> None:
                crowd.come()
                receiving.cancel()

            work_when_armed(server.context, "arm_recv", come)
            with pytest.raises(asyncio.CancelledError):
                await receiving

    asyncio.run(main())


# A clock of the program's


@pytest.mark.parametrize("call", ["receive", "send", "flush", "connect", "wait_for_server"])
def test_a_clock_that_stands_still(world: World, form: str, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """As tests of programs have it: no call of the library's waits by that one."""
    server, client, other = world.server(), world.client(), world.client()
    connection = introduce(connect(client, server), server)
    until(lambda: is_full(form, connection, client))
    calls = {
        "receive": lambda: server.receive(timeout=0.01),
        "send": lambda: connection.send(b"x", timeout=0.01),
        "flush": lambda: connection.flush(timeout=0.01),
        "connect": lambda: other.connect(NAME, timeout=0.01),
        "wait_for_server": lambda: other.connect("nobody", timeout=0.01, wait_for_server=True),
    }
    readings = Rounds(lambda: None)

    def stand_still() -> float:
        readings()
        return 0.0

    monkeypatch.setattr(time, "monotonic", stand_still)
    if call == "connect" and form == "threaded":  # whose server accepts by itself, in time or not
        assert comch.outcome(calls[call])[0] in (comch.ErrorCode.SUCCESS, comch.ErrorCode.TIME_OUT)
    else:
        with pytest.raises(comch.TimeOut):
            calls[call]()


# Engines that others keep busy


class BusyEngine:
    """An engine on which a server and its client send messages to and fro, for ever, in callbacks."""

    def __init__(self, world: World) -> None:
        self.engine = engine = comch.ProgressEngine()
        self.server, self.player = (
            world.keep(comch.Server(world.dpu, world.rep, NAME, engine=engine)),
            world.keep(comch.Client(world.host, NAME, engine=engine)),
        )
        self.server.event_connection_status_changed_register(ignore, ignore)
        for context in (self.server, self.player):
            self.prepare(context)
        self.server.start()
        self.player.start()
        until(lambda: self.player.state is comch.State.RUNNING, engine)
        self.player.task_send_alloc_init(self.player.connection, b"ball").submit()

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Refuse to progress in the block more often than a call that ends in time may."""
        progress, rounds = self.engine.progress, Rounds(ignore)

        def once() -> bool:
            rounds()
            moved: bool = progress()
            assert moved, "the engine is to be busy"
            return moved

        object.__setattr__(self.engine, "progress", once)
        try:
            yield
        finally:
            object.__setattr__(self.engine, "progress", progress)

    def prepare(self, context: Any) -> None:
        """Have a context send back what it gets."""
        context.task_send_set_conf(comch.SendTask.free, comch.SendTask.free, 8)
        context.event_consumer_register(ignore, ignore)
        context.event_msg_recv_register(
            lambda connection, data: context.task_send_alloc_init(connection, data).submit()
        )

    def holder(self, world: World) -> Any:
        """A client of the same engine whose program holds a task."""
        client = world.keep(comch.Client(world.host, NAME, engine=self.engine))
        self.prepare(client)
        client.start()
        until(lambda: client.state is comch.State.RUNNING, self.engine)
        self.held = client.task_send_alloc_init(client.connection, b"held")
        return client


def ignore(*_: object) -> None:
    pass


LEAVES = [lambda client: client.close(TIMEOUT_S), lambda client: client.disconnect(timeout=TIMEOUT_S)]


@pytest.mark.parametrize("leave", LEAVES, ids=["close", "disconnect"])
def test_leaving_ends_in_time(
    world: World, tell_time: Callable[[], None], monkeypatch: pytest.MonkeyPatch, leave: Callable[[Any], object]
) -> None:
    busy = BusyEngine(world)
    holder = busy.holder(world)
    tell_time()
    with monkeypatch.context() as patches, busy.counted():
        patches.setattr(type(holder._contexts), "take_back_tasks", ignore)
        with pytest.raises(comch.TimeOut, match=f"STOPPING after {TIMEOUT_S} s"):
            leave(holder)


@pytest.mark.parametrize("leave", LEAVES, ids=["close", "disconnect"])
def test_leaving_takes_back_what_the_program_holds(world: World, leave: Callable[[Any], object]) -> None:
    """At once, as on an engine that has nothing else to do."""
    busy = BusyEngine(world)
    holder = busy.holder(world)
    with busy.counted():
        leave(holder)
    assert holder.state is comch.State.IDLE


def test_a_close_without_time_gives_back_what_it_can(world: World) -> None:
    busy = BusyEngine(world)
    holder = busy.holder(world)
    for _ in range(7):
        holder.task_send_alloc_init(holder.connection, b"x").submit()
    with busy.counted():
        holder.close(0)


def test_connecting_ends_in_time(world: World, tell_time: Callable[[], None]) -> None:
    busy = BusyEngine(world)
    world.server(OTHER_NAME)  # which accepts nobody
    client = world.client(engine=busy.engine)
    tell_time()
    with busy.counted(), pytest.raises(comch.TimeOut, match="was not accepted"):
        client.connect(OTHER_NAME, timeout=TIMEOUT_S)
    assert client.state is comch.State.IDLE


def test_a_consumer_that_does_not_run_ends_in_time(
    world: World, tell_time: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = BusyEngine(world)
    with comch.Mmap(world.host, 64, comch.AccessFlag.PCI_READ_WRITE) as mmap:
        consumer = comch.Consumer(busy.player.connection, mmap)
        consumer.task_post_recv_set_conf(ignore, ignore, 1)
        tell_time()
        with monkeypatch.context() as patches:
            patches.setattr(comch.Consumer, "state", comch.State.STARTING)
            with busy.counted(), pytest.raises(comch.TimeOut, match="still STARTING"):
                consumer.__enter__()
        consumer.close()
