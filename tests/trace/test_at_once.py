"""What is sent is recorded before anything else happens to it: numbers are those of the other side."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from comch_next.driver import load
from tests.control_path.pair import leave, pair, until
from tests.pull.support import End, Stage
from tests.pull.support import until as pull_until
from tests.threads.test_interleavings import after
from tests.trace.lines import accepted, of, read, received


@pytest.fixture
def stage(trace: Path) -> Iterator[Stage]:
    made = Stage()
    yield made
    made.close()


def received_is(there: End, data: bytes) -> bool:
    return there.receive() == data


def test_two_threads_send_on_one_connection(stage: Stage, trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there, here = stage.pair("driver", "driver")
    below = here.port._port._noun  # type: ignore[attr-defined]
    monkeypatch.setattr(below, "send", after(below.send, lambda: here.send(b"second")))
    assert here.send(b"first")
    for data in (b"first", b"second"):
        pull_until(partial(received_is, there, data))
    pull_until(lambda: len(accepted(read(trace), "client")) == 2)  # the thread's line may be the last
    lines = read(trace)
    assert accepted(lines, "client").keys() == received(lines, "server").keys()


def test_another_thread_completes_what_has_just_been_submitted(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there, here = pair()
    below = load().send_tasks._noun  # type: ignore[attr-defined]

    def complete() -> None:
        until(lambda: here.done, there.engine, here.engine)

    monkeypatch.setattr(below, "submit", after(below.submit, complete))
    here.send(b"hello")
    until(lambda: here.done, there.engine, here.engine)
    leave(here, there)
    sent, completed = (of(read(trace), what, side="client")[0] for what in ("send", "complete"))
    assert (sent["n"], completed.get("n")) == (1, 1)
    assert sent["seq"] < completed["seq"]


@pytest.mark.parametrize("form", ["driver", "threaded"])
def test_a_signal_that_comes_as_a_message_is_accepted(
    stage: Stage, trace: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    there, here = stage.pair("driver", form)
    of_form = here.port._port._noun if form == "driver" else load().send_tasks._noun  # type: ignore[attr-defined]
    name = "send" if form == "driver" else "submit"
    call: Callable[..., Any] = getattr(of_form, name)

    def struck(*args: Any) -> Any:
        result = call(*args)
        signal.raise_signal(signal.SIGINT)
        return result

    with monkeypatch.context() as patch:
        patch.setattr(of_form, name, struck)
        with pytest.raises(KeyboardInterrupt):
            here.send(b"first")
    assert here.send(b"second")
    pull_until(lambda: there.receive() == b"second")
    lines = read(trace)
    assert [line["n"] for line in of(lines, "send", side="client")] == [1, 2]
    assert [line["n"] for line in of(lines, "receive", side="server")] == [1, 2]
