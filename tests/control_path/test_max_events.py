"""An engine that runs at most so many callbacks for each progress: nothing is lost, nothing waits for ever."""

from __future__ import annotations

import time
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

import comch_next as comch
from comch_next import BadState, Client, InvalidValue, ProgressEngine, PullPort, State
from comch_next.driver.emulated._meter import Meter
from tests.control_path.pair import HOST, Side, client, connect, ignore, leave, server, until
from tests.descriptors import collected_fds, open_fds
from tests.fast_path.lane import Inbox, Outbox
from tests.processes import SOON_S


class Counted:
    """A server and two clients on one engine, whose callbacks are counted for each progress."""

    def __init__(self, max_events: int | None) -> None:
        self.engine = ProgressEngine(max_events=max_events)
        self.told: list[str] = []
        self.most = 0
        self.there = server(engine=self.engine)
        self.heres = [client(engine=self.engine) for _ in range(2)]
        for side in self.sides:
            self._count(side)

    @property
    def sides(self) -> list[Side]:
        return [*self.heres, self.there]

    def _count(self, side: Side) -> None:
        context, told = side.context, self.told

        def counting(kind: str, callback: Any) -> Any:
            def counted(*arguments: Any) -> None:
                told.append(kind)
                callback(*arguments)

            return counted

        context.task_send_set_conf(counting("done", side._on_done), counting("failed", side._on_failed), 64)
        context.event_msg_recv_register(counting("message", side._on_message))
        context.set_state_changed_cb(counting("state", side._on_state))
        context.event_consumer_register(counting("new", ignore), counting("expired", ignore))
        if side is self.there:
            context.event_connection_status_changed_register(
                counting("up", lambda link, ok: side.up.append((link, ok))),
                counting("down", lambda link, ok: side.down.append((link, ok))),
            )

    def progress(self) -> bool:
        before = len(self.told)
        moved = self.engine.progress()
        self.most = max(self.most, len(self.told) - before)
        return moved

    def until(self, condition: Any) -> None:
        until(condition, self)  # type: ignore[arg-type]

    def wait(self, timeout: float) -> bool:
        return self.engine.wait(timeout)

    def connect(self) -> None:
        for side in (self.there, *self.heres):
            side.context.start()
        self.told.clear()  # what start told is none of progress
        self.until(lambda: len(self.there.up) == 2 and all(here.state is State.RUNNING for here in self.heres))

    def leave(self) -> None:
        for side in self.sides:
            if side.state is not State.IDLE:
                side.context.stop()
        self.told.clear()  # nor what stop told
        self.until(lambda: all(side.state is State.IDLE for side in self.sides))
        for side in self.sides:
            assert side.states[-1][1] is State.IDLE, "the state and its callback come together"
            side.context.close()
        self.engine.destroy()
        for side in self.sides:
            side.context.device.close()


@pytest.mark.parametrize("number", [1, 3])
def test_no_progress_runs_more_callbacks_than_it_may(number: int) -> None:
    """Connections, states, messages, completions, consumers and the end, all of them at once."""
    before = collected_fds()
    counted = Counted(number)
    counted.connect()
    for index in range(30):
        for side, (peer, _) in zip(counted.heres, counted.there.up, strict=True):
            side.send(b"%d" % index)
            counted.there.send(b"%d" % index, peer)
    counted.until(lambda: len(counted.there.messages) == 60 and len(counted.there.done) == 60)
    counted.until(lambda: all(len(here.messages) == len(here.done) == 30 for here in counted.heres))
    for here in counted.heres:
        assert here.messages == [b"%d" % index for index in range(30)]
    for peer, _ in counted.there.up:
        came = zip(counted.there.senders, counted.there.messages, strict=True)
        assert [data for sender, data in came if sender is peer] == [b"%d" % index for index in range(30)]
    inboxes = [Inbox(link, counted.there.context.device, engine=counted.engine) for link, _ in counted.there.up]
    outboxes = [Outbox(here.connection, here.context.device, engine=counted.engine) for here in counted.heres]
    for inbox, outbox in zip(inboxes, outboxes, strict=True):
        inbox.consumer.start()
        outbox.producer.start()
    counted.until(lambda: counted.told.count("new") == 2)
    counted.until(lambda: all(inbox.consumer.state is State.RUNNING for inbox in inboxes))
    for inbox, outbox in zip(inboxes, outboxes, strict=True):
        inbox.post(8)
        for index in range(6):
            outbox.send(inbox.consumer.id, b"%d" % index)
    received = [0]
    while any(len(inbox.received) < 6 for inbox in inboxes) or any(outbox.sent < 6 for outbox in outboxes):
        assert counted.progress()
        received.append(sum(len(inbox.received) for inbox in inboxes) + sum(outbox.sent for outbox in outboxes))
    assert max(new - old for old, new in pairwise(received)) <= number
    for inbox, outbox in zip(inboxes, outboxes, strict=True):
        inbox.consumer.stop()
        outbox.producer.stop()
    counted.until(lambda: all(inbox.consumer.state is State.IDLE for inbox in inboxes))
    counted.until(lambda: counted.told.count("expired") == 2)
    for inbox, outbox in zip(inboxes, outboxes, strict=True):
        assert inbox.received == [(b"%d" % index, None) for index in range(6)]
        assert inbox.failed == ["NOT_CONNECTED"] * 2
        inbox.close()
        outbox.close()
    counted.leave()
    assert counted.most == number
    assert open_fds() == before


def test_without_a_limit_one_progress_delivers_several() -> None:
    there, here = server(), client()
    connect(there, here)
    assert there.engine.max_events is None
    for _ in range(10):
        here.send()
    there.engine.progress()
    assert len(there.messages) == 10
    leave(here, there)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "1", 1 << 40])
def test_limits_that_are_none(wrong: Any) -> None:
    before = collected_fds()
    with pytest.raises(InvalidValue, match="max_events"):
        ProgressEngine(max_events=wrong)
    with ProgressEngine(max_events=2) as engine:
        with pytest.raises(InvalidValue, match="max_events"):
            engine.max_events = wrong
        assert engine.max_events == 2
    with pytest.raises(InvalidValue, match="destroyed"):
        engine.max_events = 1
    with pytest.raises(InvalidValue, match="destroyed"):
        engine.progress()
    assert open_fds() == before


def test_inside_a_callback_the_limit_stays() -> None:
    there, here = server(), client()
    connect(there, here)
    there.engine.max_events = 1
    caught: list[BaseException] = []

    def on_message(connection: object, data: bytes) -> None:
        for attempt in (there.engine.progress, lambda: setattr(there.engine, "max_events", 2)):
            with pytest.raises(BadState, match="inside a callback") as error:
                attempt()
            caught.append(error.value)

    there.context.stop()
    until(lambda: there.state is here.state is State.IDLE, there.engine, here.engine)
    there.context.event_msg_recv_register(on_message)
    connect(there, here)
    here.send()
    until(lambda: len(caught) == 2, there.engine)
    assert there.engine.max_events == 1
    leave(here, there)


def test_a_limit_that_is_lifted_loses_nothing() -> None:
    counted = Counted(1)
    counted.connect()
    for link, _ in counted.there.up:
        counted.there.context.disconnect(link)
    counted.engine.max_events = None
    counted.until(lambda: len(counted.there.down) == 2 and all(here.state is State.IDLE for here in counted.heres))
    assert all(here.states[-1][1] is State.IDLE for here in counted.heres)
    assert counted.engine.max_events is None
    counted.leave()


def test_what_keeps_coming_starves_nothing() -> None:
    """A server that is sent to in each of its progresses still completes its own sends."""
    there, here = server(), client()
    connect(there, here)
    there.engine.max_events = 1
    for _ in range(5):
        there.send()
    turns = 0
    while len(there.done) < 5 and turns < 200:
        here.engine.progress()
        here.send()
        there.engine.progress()
        turns += 1
    assert len(there.done) == 5
    assert turns < 50, "each kind has its turn"
    leave(here, there)


def test_a_callback_that_raises_ends_its_progress_only() -> None:
    there, here = server(), client()
    told: list[bytes] = []

    def on_message(connection: object, data: bytes) -> None:
        told.append(data)
        if data == b"bad":
            raise KeyError("the program's own")

    there.context.event_msg_recv_register(on_message)
    connect(there, here)
    there.engine.max_events = 5
    for data in (b"good", b"bad", b"later"):
        here.send(data)
    with pytest.raises(KeyError):
        until(lambda: False, there.engine)
    assert told == [b"good", b"bad"]
    until(lambda: told[2:] == [b"later"], there.engine)
    leave(here, there)


def test_a_sleeper_is_woken_as_long_as_anything_is_left() -> None:
    there, here = server(), client()
    connect(there, here)
    there.engine.max_events = 1
    for _ in range(10):
        here.send()
    while len(there.messages) < 10:
        assert there.engine.wait(SOON_S)
        there.engine.progress()
    leave(here, there)


@pytest.mark.parametrize("pull", ["driver", "threaded"])
def test_beside_a_pull_port(pull: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The threaded view of an engine goes through the same limit."""
    monkeypatch.setenv("COMCH_PULL", pull)
    there = server()
    there.context.start()
    with ProgressEngine(max_events=1) as engine:
        beside = client(engine=engine)
        pulled = Client(comch.open_device(HOST), "svc", engine=engine)
        PullPort(pulled)
        pulled.start()
        beside.context.start()
        until(lambda: len(there.up) == 2 and beside.state is State.RUNNING, there.engine, engine)
        until(lambda: pulled.state is State.RUNNING, there.engine, engine)
        assert engine.max_events == 1
        for link, _ in there.up:
            for number in range(20):
                there.send(b"%d" % number, link)
        wanted = [b"%d" % number for number in range(20)]
        until(lambda: beside.messages == wanted, there.engine, engine)
        assert [pulled.receive(timeout=SOON_S).data for _ in range(20)] == wanted
        until(lambda: len(there.done) == 40, there.engine, engine)
        pulled.close()
        pulled.device.close()
        beside.context.close()
        beside.context.device.close()
    until(lambda: len(there.down) == 2, there.engine)
    leave(there)


def test_a_task_that_another_thread_submits_while_tasks_are_counted() -> None:
    """It makes one more context active."""

    class Growing:
        @property
        def tasks_out(self) -> int:
            active.add(Growing())
            return 0

    active = {Growing()}
    poller = SimpleNamespace(any=lambda: True, receive=lambda _: None)
    meter: Any = Meter(SimpleNamespace(poller=poller, active=active))
    assert meter._message() is False
    assert len(active) == 2


def test_messages_are_delivered_while_a_poll_is_due(monkeypatch: pytest.MonkeyPatch) -> None:
    """Now and then a reader is sent to the sockets before it may read; a loop until nothing moves has them all."""
    there, here = server(engine=ProgressEngine(max_events=1)), client()
    connect(there, here)
    handle: Any = there.engine._handle
    poller = handle.poller
    look = poller.any

    def look_late() -> bool:
        time.sleep(0.0012)  # more than the time between two polls has passed since progress asked whether one is due
        return bool(look())

    monkeypatch.setattr(poller, "any", look_late)
    for number in range(1, 150):
        here.send()
        while there.engine.progress():
            pass
        assert len(there.messages) == number
        here.engine.progress()
    monkeypatch.undo()
    leave(here, there)
