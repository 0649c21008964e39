"""An interrupt at every place of a progress: each message, completion and event is reported once all the same."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import comch_next as comch
from tests.control_path.pair import Side, client, connect, leave, server, until
from tests.interrupts.strike import Strike
from tests.native.faces import choose
from tests.threads.faces import End


@pytest.fixture(autouse=True)
def handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


_FORMS = {"in batches": None, "one by one": 1, "four at most": 4, "traced": None, "over the C libraries": None}


@pytest.fixture(params=_FORMS)
def pair(
    request: pytest.FixtureRequest, runtime_dir: Path, tmp_path: Path, fresh_driver: None
) -> Iterator[tuple[Side, Side]]:
    """A server and a client, on engines that run at most so many callbacks in each progress."""
    if request.param == "traced":
        request.getfixturevalue("monkeypatch").setenv("COMCH_TRACE", str(tmp_path / "trace"))
    if request.param == "over the C libraries":
        choose(request.getfixturevalue("monkeypatch"))
    engines = [comch.ProgressEngine(max_events=_FORMS[request.param]) for _ in range(2)]
    there, here = server(engine=engines[0]), client(engine=engines[1])
    connect(there, here)
    yield there, here
    leave(here, there)


def turn(engine: comch.ProgressEngine) -> None:
    while engine.progress():
        pass


def strike_everywhere(
    prepare: Callable[[], object], engine: comch.ProgressEngine, reports: list[Any], step: int = 1
) -> None:
    """Prepare what is reported once, and interrupt the progress at one place after the other until it has been."""
    for at in count(1, step):
        prepare()
        reports.clear()
        strike = Strike(at)

        def progress() -> None:
            until(lambda: reports, engine)

        strike.hit(progress)
        until(lambda: reports, engine)
        turn(engine)
        assert len(reports) == 1, strike.place
        if not strike.place:
            assert at > step or engine.max_events is None  # C code, that no interrupt comes into
            return


def test_a_message(pair: tuple[Side, Side]) -> None:
    there, here = pair
    reports: list[Any] = []
    there.messages = reports

    def send() -> None:
        turn(here.engine)
        here.send()

    strike_everywhere(send, there.engine, reports)


def test_a_message_as_a_view(pair: tuple[Side, Side]) -> None:
    there, here = pair
    reports: list[Any] = []
    for side in (here, there):
        side.context.stop()
    until(lambda: here.state is there.state is comch.State.IDLE, here.engine, there.engine)
    there.context.event_msg_recv_register(lambda _, data: reports.append(bytes(data)), view=True)
    connect(there, here)

    def send() -> None:
        turn(here.engine)
        here.send()

    strike_everywhere(send, there.engine, reports)


def test_a_completion(pair: tuple[Side, Side]) -> None:
    there, here = pair
    reports: list[Any] = []
    here.done = reports

    def send() -> None:
        turn(there.engine)
        for task in reports:
            with suppress(comch.BadState):  # unless the interrupt came in place of the program's own call
                task.free()
        here.send()

    strike_everywhere(send, here.engine, reports)


def test_the_coming_of_a_client(pair: tuple[Side, Side]) -> None:
    there, here = pair

    def come() -> None:
        if here.state is not comch.State.IDLE:
            here.context.stop()
            until(lambda: here.state is comch.State.IDLE, here.engine, there.engine)
        turn(there.engine)
        here.context.start()

    strike_everywhere(come, there.engine, there.up, step=5)


def test_the_going_of_a_client(pair: tuple[Side, Side]) -> None:
    there, here = pair

    def go() -> None:
        if here.state is comch.State.IDLE:
            connect(there, here)
        here.context.stop()
        until(lambda: here.state is comch.State.IDLE, here.engine)

    strike_everywhere(go, there.engine, there.down, step=5)


class Raises(list[Any]):
    """Messages, whose callback raises for each."""

    def append(self, message: Any) -> None:
        super().append(message)
        raise ValueError(len(self))


def test_a_callback_that_raises(pair: tuple[Side, Side], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its exception comes out of that progress, or is reported if the interrupt does: it comes out of no later one.

    Over the C libraries, which do not know of the interrupt, it may also be reported itself.
    """
    there, here = pair
    over_c = os.environ.get("COMCH_DRIVER") == "native"
    there.messages = Raises()
    reported: list[str] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: reported.append(str(args.exc_value)))
    for at in count(1):
        turn(here.engine)
        here.send()
        strike, came = Strike(at), []
        reported.clear()

        def progress(_: End, at: int = at) -> None:
            until(lambda: len(there.messages) == at, there.engine)

        while len(there.messages) < at:
            try:
                strike.run(progress, None)  # type: ignore[arg-type]
            except ValueError as error:
                came.append(str(error))
            except KeyboardInterrupt as error:
                came += [str(error.__context__)] if isinstance(error.__context__, ValueError) else []
        turn(there.engine)
        if came and over_c and "" in reported:
            reported.remove("")
        assert came + reported == [str(at)], strike.place
        if not strike.place:
            assert at > 1 or there.engine.max_events is None  # C code, that no interrupt comes into
            return
