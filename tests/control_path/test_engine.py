"""The progress engine: what moves, what is raised, when a descriptor wakes."""

from __future__ import annotations

import os
import socket
import sys
import time
from typing import Any

import pytest

import comch_next as comch
from comch_next import BadState, InUse, InvalidValue, ProgressEngine, State
from comch_next.driver.emulated._engine import Engine
from comch_next.driver.emulated._fabric.bells import new_bell
from tests.control_path.pair import DPU, HOST, REP, Side, client, connect, ignore, leave, pair, server, until
from tests.inside import inside


def test_nothing_to_do() -> None:
    with ProgressEngine() as engine:
        assert engine.progress() is False
        assert engine.num_inflight_tasks == 0


def test_progress_says_whether_anything_moved() -> None:
    there, here = pair()
    until(lambda: not there.engine.progress())
    here.send(b"x")
    assert there.engine.progress() is True
    assert there.messages == [b"x"]
    until(lambda: not there.engine.progress())
    assert there.engine.progress() is False
    leave(here, there)


def test_one_engine_for_several_contexts() -> None:
    with ProgressEngine() as engine:
        there = server(engine=engine)
        clients = [client(engine=engine) for _ in range(3)]
        for here in clients:
            connect(there, here)
            here.send(b"hello")
        until(lambda: len(there.messages) == 3, engine)
        assert len(set(there.senders)) == 3
        end(engine, *clients, there)


def end(engine: ProgressEngine, *sides: Side) -> None:
    """Destroy contexts of one engine."""
    for side in sides:
        side.context.stop()
    until(lambda: all(side.state is State.IDLE for side in sides), engine)
    for side in sides:
        side.context.destroy()
        side.context.device.close()


def test_a_slow_look_does_not_call_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """With many contexts a look at their sockets takes long; that is no absence after which to look at once."""
    looks, look = [], Engine.poll_sockets

    def slow(engine: Engine) -> bool:
        looks.append(engine)
        end = time.monotonic_ns() + 100_000
        while time.monotonic_ns() < end:
            pass
        return look(engine)

    with ProgressEngine() as engine:
        monkeypatch.setattr(Engine, "poll_sockets", slow)
        engine.progress()
    assert 1 <= len(looks) < 10


def test_it_cannot_be_destroyed_while_a_context_lives() -> None:
    here = client()
    with pytest.raises(InUse, match="client 'svc'"):
        here.engine.destroy()
    here.context.close()
    here.engine.destroy()
    here.engine.destroy()


def test_a_destroyed_engine_is_a_stale_handle() -> None:
    engine = ProgressEngine()
    handle = engine.notification_handle
    engine.destroy()
    for call in (
        engine.progress,
        engine.request_notification,
        engine.clear_notification,
        lambda: engine.notification_handle,
        lambda: engine.num_inflight_tasks,
        lambda: engine.clear_notification(handle),
        lambda: client(engine=engine),
    ):
        with pytest.raises(InvalidValue, match="destroyed"):
            call()


def test_progress_does_not_re_enter() -> None:
    there, here = pair()
    seen: list[str] = []

    def on_message(connection: object, data: bytes) -> None:
        with pytest.raises(BadState, match="inside a callback"):
            there.engine.progress()
        with pytest.raises(BadState):
            there.context.receive(timeout=0)
        seen.append("refused")

    leave(here, there)
    there, here = server(), client()
    there.context.event_msg_recv_register(on_message)
    connect(there, here)
    here.send()
    until(lambda: seen, there.engine)
    assert there.engine.progress() in (True, False)
    leave(here, there)


class Oops(Exception):
    """What a program's callback may raise."""


@pytest.mark.parametrize("raised", [Oops, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_exception_of_a_callback_comes_at_the_end_of_progress(raised: type[BaseException]) -> None:
    there, here = server(), client()
    got: list[bytes] = []

    def on_message(connection: object, data: bytes) -> None:
        got.append(data)
        if data == b"1":
            raise raised("from the callback")

    there.context.event_msg_recv_register(on_message)
    connect(there, here)
    for number in range(3):
        here.send(b"%d" % number)
    with pytest.raises(raised, match="from the callback"):
        until(lambda: False, there.engine)
    assert got[:2] == [b"0", b"1"]
    until(lambda: len(got) == 3, there.engine)
    assert got == [b"0", b"1", b"2"], "nothing is lost, nothing comes twice"
    leave(here, there)


@pytest.mark.parametrize("which", ["done", "up", "down", "state", "view"])
def test_exceptions_of_every_callback(which: str) -> None:
    there, here = server(), client()

    def oops(*_: object) -> None:
        raise Oops(which)

    if which == "done":
        here.context.task_send_set_conf(oops, oops, 4)
    elif which == "state":
        here.context.set_state_changed_cb(oops)
    elif which == "view":
        there.context.event_msg_recv_register(oops, view=True)
    else:
        calls = (oops, ignore) if which == "up" else (ignore, oops)
        there.context.event_connection_status_changed_register(*calls)
    there.context.start()
    caught: list[Oops] = []

    def turn(condition: Any) -> None:
        while not condition():
            try:
                until(condition, there.engine, here.engine)
            except Oops as error:
                caught.append(error)

    try:
        here.context.start()
    except Oops as error:
        caught.append(error)
    turn(lambda: here.state is State.RUNNING)
    task = here.task()
    task.submit()
    turn(lambda: here.context.num_inflight_tasks == 0)
    for _ in range(50):
        turn(lambda: not there.engine.progress())
    if which == "done":
        task.free()
    try:
        here.context.stop()
    except Oops as error:
        caught.append(error)
    turn(lambda: here.state is State.IDLE and not there.engine.progress())
    assert caught
    assert {str(each) for each in caught} == {which}
    here.context.set_state_changed_cb(ignore)
    leave(there)
    here.context.close()


def test_the_first_of_several_exceptions_wins_and_all_callbacks_run() -> None:
    there, here = server(), client(tasks=4)
    ran: list[int] = []

    def done(task: comch.SendTask) -> None:
        ran.append(task.user_data)
        raise Oops(str(task.user_data))

    here.context.task_send_set_conf(done, ignore, 4)
    connect(there, here)
    tasks = [here.task() for _ in range(3)]
    for number, task in enumerate(tasks):
        task.user_data = number
        task.submit()
    raised: list[str] = []
    while len(ran) < 3:
        try:
            until(lambda: len(ran) == 3, here.engine)
        except Oops as error:
            raised.append(str(error))
    assert raised[0] == "0"
    assert ran == [0, 1, 2]
    comch.outcome(here.engine.progress)
    for task in tasks:
        task.free()
    leave(here, there)


@pytest.mark.parametrize(
    ("errors", "wins"),
    [((Oops("0"), Oops("1")), 0), ((Oops(), KeyboardInterrupt()), 1), ((SystemExit(), KeyboardInterrupt()), 0)],
    ids=["the first", "an interrupt", "the first of two that end programs"],
)
def test_of_two_exceptions_of_one_progress_none_is_lost(
    monkeypatch: pytest.MonkeyPatch, errors: tuple[BaseException, BaseException], wins: int
) -> None:
    reported: list[BaseException] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: reported.append(args.exc_value))
    left = list(errors)

    def up(_connection: object, _ok: bool) -> None:
        raise left.pop(0)

    with ProgressEngine() as engine:
        services = [server(name, engine=engine) for name in ("first", "second")]
        clients = [client(name, engine=engine) for name in ("first", "second")]
        for there, here in zip(services, clients, strict=True):
            there.context.event_connection_status_changed_register(up, ignore)
            there.context.start()
            here.context.start()
        with pytest.raises(type(errors[wins])) as raised:
            until(lambda: not left, engine)
        assert raised.value is errors[wins]
        assert reported == [errors[1 - wins]]
        end(engine, *clients, *services)


@pytest.mark.parametrize("most", [None, 1])
def test_what_a_callback_raises_is_handed_over(most: int | None) -> None:
    """In place of raising it at the end of progress, but for an interrupt."""
    taken: list[Exception] = []
    errors: list[BaseException] = [Oops(), KeyboardInterrupt()]

    def up(_connection: object, _ok: bool) -> None:
        raise errors[len(taken)]

    with ProgressEngine(max_events=most) as engine:
        engine._hand_errors_to(taken.append)
        there = server("svc", engine=engine)
        there.context.event_connection_status_changed_register(up, ignore)
        there.context.start()
        first, second = client("svc", engine=engine), client("svc", engine=engine)
        first.context.start()
        until(lambda: taken, engine)
        second.context.start()
        with pytest.raises(KeyboardInterrupt):
            until(lambda: False, engine)
        assert taken == errors[:1]
        end(engine, first, second, there)


def test_a_state_callback_may_destroy_its_context() -> None:
    """The natural place to give a context back is the callback that says IDLE."""
    with ProgressEngine() as engine:
        there = server(engine=engine)
        here = client(engine=engine)
        other = client(engine=engine)
        connect(there, here)
        connect(there, other)

        def changed(context: comch.Client, old: State, new: State) -> None:
            if new is State.IDLE:
                context.destroy()
                there.kept = "destroyed"

        here.context.set_state_changed_cb(changed)
        here.context.stop()
        until(lambda: there.kept, engine)
        other.send(b"still here")
        until(lambda: there.messages == [b"still here"], engine)
        for side in (other, there):
            side.context.stop()
        until(lambda: other.state is State.IDLE and there.state is State.IDLE, engine)
        other.context.destroy()
        there.context.destroy()


@pytest.mark.parametrize("most", [None, 1])
def test_a_state_callback_may_destroy_its_engine(most: int | None) -> None:
    """Then that has been destroyed for its next progress, too."""
    there, here = pair()
    engine = there.engine
    engine.max_events = most

    def changed(context: comch.Server, old: State, new: State) -> None:
        if new is State.IDLE:
            context.destroy()
            engine.destroy()

    there.context.set_state_changed_cb(changed)
    there.context.stop()
    until(lambda: there.state is State.IDLE, engine)
    for call in (engine.progress, engine.request_notification):
        with pytest.raises(InvalidValue, match="engine has been destroyed"):
            call()
    leave(here)


def test_a_callback_may_destroy_another_context() -> None:
    with ProgressEngine() as engine:
        there = server(engine=engine)
        idle = [client(f"other{number}", engine=engine) for number in range(3)]
        here = client(engine=engine)

        def up(connection: object, ok: bool) -> None:
            while idle:
                idle.pop().context.destroy()

        there.context.event_connection_status_changed_register(up, ignore)
        there.context.start()
        here.context.start()
        until(lambda: here.state is State.RUNNING and not idle, engine)
        for side in (here, there):
            side.context.stop()
        until(lambda: here.state is State.IDLE and there.state is State.IDLE, engine)
        here.context.destroy()
        there.context.destroy()


@pytest.mark.parametrize("max_events", [None, 1])
def test_an_engine_that_was_destroyed_in_a_callback_is_refused_as_others(max_events: int | None) -> None:
    there, here = pair()
    here.engine.max_events = max_events

    def gone(_: object, __: object, new: State) -> None:
        if new is State.IDLE:
            here.context.destroy()
            here.engine.destroy()

    inside(here.context).state_changed = gone
    here.context.stop()
    with pytest.raises(InvalidValue, match="has been destroyed"):
        until(lambda: False, here.engine)
    with pytest.raises(InvalidValue, match="has been destroyed"):
        here.engine.progress()
    here.context.device.close()
    leave(there)


def test_a_refused_stop_leaves_the_choice_of_an_engine() -> None:
    dpu, host = comch.open_device(DPU), comch.open_device(HOST)
    contexts = comch.Client(host, "svc"), comch.Server(dpu, REP, "svc"), comch.Client(), comch.Channel()
    for context in contexts:
        with pytest.raises(BadState, match=r"ctx_stop was attempted on .* while IDLE"):
            context.stop()
        engine = ProgressEngine()
        engine.connect_ctx(context)
        assert context.engine is engine
        context.close()
        with pytest.raises(InvalidValue, match="has been destroyed"):
            context.stop()
        engine.destroy()


def test_a_strict_stop_without_an_engine_is_not_connected() -> None:
    dpu, host = comch.open_device(DPU), comch.open_device(HOST)
    for context in (comch.Client(host, "svc"), comch.Server(dpu, REP, "svc"), comch.Client()):
        with pytest.raises(comch.NotConnected, match="which has no engine"):
            context.stop(strict=True)
        assert context.try_stop(strict=True) is comch.ErrorCode.NOT_CONNECTED
        engine = ProgressEngine()
        engine.connect_ctx(context)
        with pytest.raises(BadState):
            context.stop(strict=True)
        context.destroy()
        assert context.try_stop(strict=True) is comch.ErrorCode.INVALID_VALUE
        engine.destroy()


def test_a_context_of_another_driver_or_none_at_all_is_refused() -> None:
    with ProgressEngine() as engine:
        for wrong in (None, 3, engine):
            with pytest.raises(InvalidValue):
                engine.connect_ctx(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("raised", [KeyboardInterrupt, TimeoutError])
def test_what_a_handler_raises_while_an_engine_is_armed_is_not_lost(raised: type[BaseException]) -> None:
    """Arming runs Python code where a peer rings its bell too fast; a signal's handler may come there."""

    def handler() -> None:
        raise raised

    heard, rung = new_bell()
    with ProgressEngine() as engine, socket.socket(fileno=rung) as peer:
        inside(engine).notification.listen(heard, handler)
        for _ in range(2):
            engine.request_notification()
            for _ in range(10):
                peer.send(b"!")
        with pytest.raises(raised):
            engine.request_notification()
        engine.request_notification()
        os.close(heard)
