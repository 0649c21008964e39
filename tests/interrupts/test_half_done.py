"""An interrupt in the middle of a call that has two halves: it comes before both, or after both."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import _GeneratorContextManager
from types import CodeType
from typing import Any

import pytest

import comch_next as comch
from comch_next import _blocking
from comch_next._life import Life
from comm_channel_compat._account import Account
from tests.control_path.pair import DPU
from tests.interrupts.strike import Strike, each_place


@pytest.fixture(autouse=True)
def handled() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted(call: Callable[..., Any]) -> Callable[..., Any]:
    """The call, at whose end a signal comes."""

    def run(*args: Any, **options: Any) -> Any:
        result = call(*args, **options)
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


class AtAnEnd(Strike):
    """Interrupts where the `with` block of a generator ends."""

    def _come_to(self, code: CodeType, offset: int) -> None:
        if code is _GeneratorContextManager.__exit__.__code__:
            super()._come_to(code, offset)


def test_a_listen_that_is_interrupted_as_it_ends() -> None:
    """While the interrupt is in flight, the channel is free."""
    places = 0
    while True:
        channel, strike = comch.BlockingChannel(comch.InitAttr()), AtAnEnd(places + 1)
        try:
            strike.run(lambda _, channel=channel: channel.listen("svc"), None)  # type: ignore[arg-type, misc]
        except KeyboardInterrupt:
            assert channel._life is None, strike.place
            places += 1
        else:
            channel.close()
            break
    assert places > 4


def test_an_old_call_that_is_interrupted_does_not_run_any_more() -> None:
    account = Account()
    for strike in each_place(4):
        try:
            strike.run(lambda _: account.follow("doca_x", ("f", 1, ""), True, int, (), {}), None)  # type: ignore[arg-type]
        except KeyboardInterrupt:
            assert account.observed._calls.running == [], strike.place
