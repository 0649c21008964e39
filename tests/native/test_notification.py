"""Sleeping on the native driver: the library's own descriptor where it rings, a timer where it does not."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next import ProgressEngine as Engine
from comch_next.driver import load
from comch_next.driver.native._notification import Notification
from tests.descriptors import open_fds
from tests.faults.exhausted import full_table
from tests.faults.forking import in_child
from tests.interrupts.strike import each_place
from tests.native.conftest import Log
from tests.native.test_callbacks import Loop

DEADLINE_S = 60.0
QUIET_S = 0.01


@pytest.fixture
def loop(stub: Log) -> Iterator[Loop]:
    made = Loop()
    made.run()
    yield made
    made.close()


def ready(engine: comch.ProgressEngine, timeout_s: float) -> bool:
    poller = select.poll()
    poller.register(engine.notification_handle, select.POLLIN)
    return bool(poller.poll(timeout_s * 1000))


def is_known() -> bool | None:
    return load().engines._rings.known  # type: ignore[attr-defined, no-any-return]


def test_a_library_that_rings(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it has rung it is trusted: nothing else wakes the program soon."""
    monkeypatch.setenv("STUB_RINGS", "1")
    monkeypatch.setattr(Notification, "_set_timer", lambda *_: None)  # it looks so late that no busy machine meets it
    loop.engine.request_notification()
    loop.send(b"x")
    assert ready(loop.engine, 0)
    assert is_known() is None
    loop.engine.clear_notification()
    assert is_known() is True
    assert not ready(loop.engine, 0)
    assert loop.engine.progress()
    assert not loop.engine.wait(QUIET_S)


def test_a_silent_library_is_looked_at(loop: Loop) -> None:
    """Nothing rings: the program is woken to look, and more often once it has found something that way."""
    loop.send(b"x")
    assert loop.engine.wait(DEADLINE_S)
    assert is_known() is None
    assert loop.engine.progress()
    assert is_known() is False
    loop.send(b"y")
    assert loop.engine.wait(DEADLINE_S)


def test_a_library_that_rings_no_more_is_looked_at_again(loop: Loop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUB_RINGS", "1")
    loop.engine.request_notification()
    loop.send(b"x")
    loop.engine.clear_notification()
    assert is_known() is True
    assert loop.engine.progress()
    monkeypatch.delenv("STUB_RINGS")
    loop.send(b"y")
    assert loop.engine.wait(DEADLINE_S)
    assert loop.engine.progress()
    assert is_known() is False


def test_a_wake_up_that_finds_nothing_proves_nothing(loop: Loop) -> None:
    assert loop.engine.wait(DEADLINE_S)
    assert not loop.engine.progress()
    assert is_known() is None


def test_a_handle_of_another_engine_is_refused(loop: Loop) -> None:
    with comch.ProgressEngine() as other:
        with pytest.raises(comch.OperatingSystem):
            loop.engine.clear_notification(other.notification_handle)
        loop.engine.clear_notification(loop.engine.notification_handle)


def test_the_engine_closes_its_descriptors(stub: Log) -> None:
    engine = comch.ProgressEngine()
    before = len(os.listdir("/proc/self/fd"))
    assert engine.notification_handle == engine.notification_handle
    assert len(os.listdir("/proc/self/fd")) == before + 2
    engine.destroy()
    assert len(os.listdir("/proc/self/fd")) == before - 1


def test_a_forked_child_closes_its_copies(stub: Log) -> None:
    """The parent's still wake it."""
    with Engine() as engine:
        handle: Any = engine._handle
        own = engine.notification_handle, handle.life.notification._timer
        assert in_child(lambda: [fd for fd in own if Path(f"/proc/self/fd/{fd}").exists()]) == []
        engine.request_notification()
        assert ready(engine, DEADLINE_S)


def test_without_a_descriptor_to_spare(stub: Log) -> None:
    with comch.ProgressEngine() as engine:
        for left in range(2):
            before = open_fds()
            with full_table(left), pytest.raises(comch.NoMemory):
                engine.notification_handle  # noqa: B018
            assert open_fds() == before
        assert engine.notification_handle > 0


def test_without_memory_for_the_rest(stub: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise MemoryError

    with Engine() as engine:
        before = open_fds()
        with monkeypatch.context() as patched:
            patched.setattr(select, "epoll", refuse)
            with pytest.raises(MemoryError):
                engine.request_notification()
        assert open_fds() == before
        engine.request_notification()


@pytest.mark.parametrize("call", [Engine.request_notification, Engine.clear_notification, Engine.fileno])
def test_an_interrupt_leaves_no_lock_and_no_descriptor(stub: Log, call: Callable[[Engine], object]) -> None:
    """At every place of an engine's first call, and while the interrupt, which keeps what it met, is in flight."""
    with Engine() as first:
        call(first)  # finds the functions of the library, once
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    for strike in each_place(4):
        open_before, engine = open_fds(), Engine()
        try:
            strike.run(lambda _, engine=engine: call(engine), None)  # type: ignore[misc, arg-type]
        except KeyboardInterrupt:
            assert not engine._lock._is_owned(), strike.place
        engine.destroy()
        assert open_fds() == open_before, strike.place
    signal.signal(signal.SIGINT, before)
