"""An interrupt in the middle of a call that has two halves: it comes before both, or after both."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import comch_next as comch
from comch_next import _blocking
from comch_next._life import Life
from tests.control_path.pair import DPU


@pytest.fixture(autouse=True)
def handled() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(call: Callable[..., Any]) -> Callable[..., Any]:
    """The call, at whose end a signal comes."""

    def run(*args: Any) -> Any:
        result = call(*args)
        signal.raise_signal(signal.SIGINT)
        return result

    return run


def test_a_queue_and_its_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = comch.MsgQ(comch.open_device(DPU))
    engine = queue.engine
    monkeypatch.setattr(queue._msgqs, "destroy", interrupted(queue._msgqs.destroy))
    with pytest.raises(KeyboardInterrupt):
        queue.destroy()
    assert not engine._open


@pytest.mark.parametrize("place", ["made", "noted"])
def test_the_life_of_a_blocking_channel(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    channel = comch.BlockingChannel(comch.InitAttr())
    with monkeypatch.context() as patched:
        if place == "made":
            patched.setattr(_blocking, "Life", interrupted(Life))
        else:
            patched.setattr(channel, "_begin", interrupted(channel._begin))
        with pytest.raises(KeyboardInterrupt):
            channel.listen("svc")
    channel.listen("svc")
    channel.close()
