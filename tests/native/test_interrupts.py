"""A signal that arrives while the library runs: what that reports is told all the same, once."""

from __future__ import annotations

import _thread
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from operator import methodcaller
from typing import Any

import pytest

import comch_next as comch
from comch_next import State
from tests.control_path.pair import ignore
from tests.interrupts.strike import each_place
from tests.native.conftest import Log
from tests.native.test_callbacks import Loop


@pytest.fixture
def loop(stub: Log) -> Iterator[Loop]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    made = Loop()
    yield made
    made.close()
    signal.signal(signal.SIGINT, before)


Struck = Callable[[Callable[[], object]], BaseException]


@pytest.fixture
def struck(monkeypatch: pytest.MonkeyPatch) -> Struck:
    """Make a call during which a signal arrives; return what it raises."""

    def strike(call: Callable[[], object]) -> BaseException:
        with monkeypatch.context() as patch:
            patch.setenv("STUB_STRIKES", "1")
            with pytest.raises(KeyboardInterrupt) as raised:
                call()
        return raised.value

    return strike


@pytest.mark.parametrize("most", [None, 1])
def test_changes_of_state_are_told(loop: Loop, struck: Struck, most: int | None) -> None:
    loop.engine.max_events = most
    struck(loop.client.start)
    struck(loop.engine.progress)
    connection: Any = loop.client.connection
    struck(loop.client.stop)
    struck(loop.engine.progress)
    states = [State.IDLE, State.STARTING, State.RUNNING, State.STOPPING, State.IDLE]
    assert loop.told == [("state", *states[place : place + 2]) for place in range(4)]
    with pytest.raises(comch.ConnectionAborted):
        connection.update_info()


def test_a_failed_task_is_told(loop: Loop, struck: Struck) -> None:
    loop.run()
    loop.send(b"x")
    loop.client.stop()
    struck(loop.engine.progress)
    assert loop.told[-1] == ("failed", "SHUTDOWN")


@pytest.mark.parametrize("view", [False, True])
def test_the_first_message_of_a_connection_is_told(
    loop: Loop, struck: Struck, view: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program has not asked for the connection yet."""
    loop.client.event_msg_recv_register(lambda _, data: loop.told.append(bytes(data)), view=view)
    loop.run()
    loop.send(b"hello")
    handle: Any = loop.client._handle
    handle.connections.clear()
    monkeypatch.setenv("STUB_STRIKES_AT_MESSAGES", "1")
    struck(loop.engine.progress)
    assert loop.told == [b"hello", ("done", "SUCCESS")]


def test_a_callback_in_a_stop_can_be_interrupted(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    loop.run()
    went_on: list[bool] = []

    def changed(*_: object) -> None:
        signal.raise_signal(signal.SIGINT)
        went_on.append(True)

    loop.client.set_state_changed_cb(changed)
    with pytest.raises(KeyboardInterrupt):
        loop.client.stop()
    assert loop.client.state is State.STOPPING
    assert went_on == []
    loop.client.set_state_changed_cb(lambda *_: None)


def test_both_exceptions_are_known(loop: Loop, struck: Struck) -> None:
    """That of the handler, and that of the callback which it did not prevent."""
    loop.raises = {"state": LookupError("state")}
    assert struck(loop.client.start).__context__ is loop.raises["state"]


@pytest.mark.parametrize("event", ["message", "completion"])
def test_an_interrupt_that_meets_the_keeping_of_an_exception(
    loop: Loop, event: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither is lost. The callback fails in C, when a signal has arrived: its handler's turn comes afterwards."""
    interrupting = defaultdict[object, None](partial(_thread.interrupt_main, signal.SIGINT))
    fail = partial(min, None, key=interrupting.__getitem__)
    if event == "message":
        loop.client.event_msg_recv_register(fail)
    else:
        loop.client.task_send_set_conf(fail, ignore, 8)
    loop.run()
    loop.send(b"x")
    reported, raised = list[type](), list[type]()  # one of them, if the handler's turn comes in another callback
    monkeypatch.setattr(sys, "unraisablehook", lambda args: reported.append(args.exc_type))
    for _ in range(2):
        try:
            loop.engine.progress()
        except (KeyboardInterrupt, TypeError) as error:
            raised.append(type(error))
    assert raised[0] is KeyboardInterrupt
    assert [*raised[1:], *reported] == [TypeError]
    assert capfd.readouterr().err == ""


def test_a_free_callback_is_called_all_the_same(loop: Loop) -> None:
    """The handler's turn comes before its first line."""
    mmap = comch.Mmap()
    mmap.set_free_cb(lambda *_: loop.told.append("freed"))
    library: Any = mmap._mmaps.library  # type: ignore[attr-defined]
    destroy = library["doca_mmap_destroy"]

    def interrupted(pointer: object) -> object:
        calls = partial(_thread.interrupt_main, signal.SIGINT), partial(destroy, pointer)
        return [*map(methodcaller("__call__"), calls)][1]  # with no Python code between the two

    library["doca_mmap_destroy"] = interrupted
    with pytest.raises(KeyboardInterrupt):
        mmap.destroy()
    assert loop.told == ["freed"]


def test_no_dropped_task_is_lost(loop: Loop) -> None:
    """An interrupt at every place of the allocation that frees it first."""
    loop.run()
    client, life = loop.client, loop.client._handle.life
    for strike in each_place(4):
        client.task_send_alloc_init(client.connection, b"dropped")
        strike.hit(lambda: client.task_send_alloc_init(client.connection, b"dropped, too"))
        life.free_dropped()
        assert not life.tasks, strike.place


def test_no_place_in_a_pool_is_lost(loop: Loop) -> None:
    """An interrupt at every place of an allocation and a free."""
    loop.run()
    context: Any = loop.client._handle
    pool, tasks = loop.client._pool, loop.client._tasks
    for strike in each_place(4):
        made: list[Any] = []

        def come_and_go(made: list[Any] = made) -> None:
            made.append(pool.task_send_alloc_init(context, loop.client.connection._handle, b"x"))
            tasks.free(made[0])

        strike.hit(come_and_go)
        made.clear()
        context.life.free_dropped()
        context.life.free_held()
        assert not context.life.tasks, strike.place
        allocated = [pool.task_send_alloc_init(context, loop.client.connection._handle, b"x") for _ in range(8)]
        for task in allocated:
            tasks.free(task)
