"""Calls that hold signals back hold them again after a callback, wherever the interrupt of that has come."""

from __future__ import annotations

import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from comch_next.driver.protocol import Own, interruptible, uninterrupted
from tests.control_path.pair import DPU, HOST, REP, Side, client, connect, leave, server, until
from tests.interrupts.strike import each_place
from tests.native.faces import choose
from tests.processes import SOON_S


def test_they_are_held_back_again_after_a_callback() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    called: list[int] = []
    held: list[bool] = []

    @uninterrupted
    def call() -> None:
        with suppress(KeyboardInterrupt):
            interruptible(lambda: called.append(1))
        held.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))

    try:
        for strike in each_place(5):
            called.clear()
            held.clear()
            with suppress(KeyboardInterrupt):
                strike.run(lambda _: call(), None)  # type: ignore[arg-type]
            assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
            assert (called, held) in (([], []), ([1], [True])), strike.place
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_callback_that_raises_hides_no_interrupt() -> None:
    """The signal came before the callback; its exception comes with the callback's."""

    def fail() -> None:
        raise ValueError("the callback's")

    @uninterrupted
    def call() -> None:
        signal.raise_signal(signal.SIGINT)
        interruptible(fail)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt) as raised:
            call()
    finally:
        signal.signal(signal.SIGINT, before)
    assert str(raised.value.__context__) == "the callback's"


class Looking(Side):
    """Its callbacks note which signals are held back."""

    def __init__(self, context: comch.Server | comch.Client) -> None:
        self.held: dict[str, object] = {}
        super().__init__(context)

    def _look(self, kind: str) -> None:
        self.held[kind] = signal.pthread_sigmask(signal.SIG_BLOCK, ())

    def _on_done(self, task: comch.SendTask) -> None:
        self._look("done")
        super()._on_done(task)

    def _on_message(self, connection: comch.Connection, data: bytes) -> None:
        self._look("message")
        super()._on_message(connection, data)

    def _on_state(self, context: object, old: comch.State, new: comch.State) -> None:
        self._look(f"to {new.name}")
        super()._on_state(context, old, new)


@pytest.mark.parametrize("over_c", [False, True])
def test_callbacks_on_another_thread_run_with_its_own_signals(
    over_c: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, runtime_dir: Path, fresh_driver: None
) -> None:
    """A process that they start inherits what is held back. Nothing needs to be: handlers run on the main thread."""
    if over_c:
        choose(monkeypatch)
    else:
        monkeypatch.setenv("COMCH_TRACE", str(tmp_path / "trace.jsonl"))
    own = {signal.SIGUSR1}

    def work() -> dict[str, object]:
        signal.pthread_sigmask(signal.SIG_BLOCK, own)
        there = Looking(comch.Server(comch.open_device(DPU), REP, "svc"))
        here = Looking(comch.Client(comch.open_device(HOST), "svc"))
        connect(there, here)
        here.send()
        until(lambda: here.done and there.messages, there.engine, here.engine)
        leave(here, there)
        return {**there.held, **here.held}

    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(work).result(SOON_S)
    assert {"done", "message", "to RUNNING", "to STOPPING"} <= set(held)
    assert held == dict.fromkeys(held, own)


@pytest.mark.parametrize("over_c", [False, True])
@pytest.mark.parametrize("reported", ["message", "completion", "state"])
def test_a_callback_of_the_librarys_own_is_not_interrupted(
    reported: str, over_c: bool, monkeypatch: pytest.MonkeyPatch, runtime_dir: Path, fresh_driver: None
) -> None:
    """What it notes would be lost. The signal waits for the end of the call that holds signals back.

    Over the C libraries that is the callback itself, where nothing around it does.
    """
    held: Any = uninterrupted
    if over_c:
        choose(monkeypatch)
        held = partial
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    there, here = server(), client()
    noted: list[object] = []

    def note(*news: object) -> None:
        signal.raise_signal(signal.SIGINT)
        noted.append(news[-1])

    if reported == "message":
        there.context.event_msg_recv_register(Own(note))
    elif reported == "completion":
        here.context.task_send_set_conf(Own(note), Own(note), 4)
    connect(there, here)
    if reported == "state":
        here.context.set_state_changed_cb(Own(note))
        with pytest.raises(KeyboardInterrupt):
            held(here.context.stop)()
        assert comch.State.STOPPING in noted
    else:
        task = here.send()
        with pytest.raises(KeyboardInterrupt):
            held(until)(lambda: noted, there.engine, here.engine)
        assert noted == [task if reported == "completion" else b"x"]
        if reported == "completion":
            task.free()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    leave(here, there)
    signal.signal(signal.SIGINT, before)
