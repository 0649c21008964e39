"""An interrupt at a random place of a stream, whose traceback the program keeps: all can be closed, and used again."""

from __future__ import annotations

import gc
import io
import random
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import comch_next as comch
import comch_next.stream as module
from comch_next import _stream_link
from tests.budget import SEED
from tests.control_path.pair import until
from tests.descriptors import collected_fds, mapped, open_fds
from tests.interrupts.strike import Strike
from tests.processes import SOON_S
from tests.streams.support import Pair, connected

_DATA = bytes(range(256)) * 300
_PLACES = 20

Work = Callable[[comch.Stream], Any]


def _send(stream: comch.Stream) -> Any:
    return stream.send_stream(_DATA, chunk_size=4096)


def _receive(stream: comch.Stream) -> bytes:
    sink = io.BytesIO()
    stream.recv_stream(sink, chunk_size=4096)
    return sink.getvalue()


_SIDES = [pytest.param(_send, _receive, id="send"), pytest.param(_receive, _send, id="receive")]


def _in_a_block(pair: Pair, work: Work) -> None:
    with comch.Stream(pair.here) as stream:
        work(stream)


def _patient(work: Work) -> Work:
    """Work of the other side, which begins again as long as this side gives up."""

    def working(stream: comch.Stream) -> Any:
        while True:
            with suppress(comch.IoFailed):
                return work(stream)

    return working


def _places(work: Work, other: Work) -> list[int]:
    """Some of the places that a block comes by."""
    strike = Strike(None)
    with connected() as pair:
        theirs = pair.start(pair.there, other)
        strike.run(lambda _: _in_a_block(pair, work), None)  # type: ignore[arg-type]
        theirs.result(SOON_S)
    print(f"COMCH_STRESS_SEED={SEED}")
    return random.Random(SEED).sample(range(1, strike.count + 1), _PLACES)


def _interrupted(at: int, work: Work, other: Work) -> KeyboardInterrupt | None:
    """Interrupt a block, close all of both ends, and return the interrupt; None if the place was not come by."""
    interrupt = None
    with connected() as pair:
        theirs, strike = pair.start(pair.there, other), Strike(at)
        try:
            strike.run(lambda _: _in_a_block(pair, work), None)  # type: ignore[arg-type]
        except KeyboardInterrupt as raised:
            interrupt = raised
        assert bool(strike.place) is (interrupt is not None), strike.place
        client = pair.here.client
        assert client is not None
        client.close()
        error = theirs.exception(SOON_S)
        assert error is None or isinstance(error, comch.DocaError), strike.place
    return interrupt


@pytest.mark.parametrize(("work", "other"), _SIDES)
def test_a_block_that_is_interrupted(work: Work, other: Work) -> None:
    before = collected_fds(), mapped()
    kept = [_interrupted(at, work, other) for at in _places(work, other)]
    assert any(kept)
    kept.clear()
    gc.collect()
    assert (open_fds(), mapped()) == before


@pytest.mark.parametrize(("work", "other"), _SIDES)
def test_a_call_that_is_interrupted_and_repeated(work: Work, other: Work) -> None:
    for at in _places(work, other):
        with connected() as pair, comch.Stream(pair.here) as stream:
            theirs, strike = pair.start(pair.there, _patient(other)), Strike(at)
            try:
                strike.run(lambda _, stream=stream: work(stream), None)  # type: ignore[arg-type, misc]
            except KeyboardInterrupt:
                if not theirs.done():
                    with suppress(comch.Shutdown):  # it had the whole of it, and has left since
                        work(stream)
            else:
                assert not strike.place
            assert theirs.result(SOON_S) in (_DATA, len(_DATA)), strike.place


@pytest.mark.parametrize("kind", [comch.Again, comch.InvalidValue, comch.ConnectionReset])
def test_what_a_handler_raises_is_no_refusal(monkeypatch: pytest.MonkeyPatch, kind: type[comch.DocaError]) -> None:
    submit = comch.ProducerSendTask.submit
    struck: list[comch.ProducerSendTask] = []

    def handle(*_: object) -> None:
        raise kind("the program's own")

    def submit_beside_a_signal(task: comch.ProducerSendTask) -> None:
        if task.buf is not None and not struck:  # the first of the data, which the other side has granted
            struck.append(task)
            signal.raise_signal(signal.SIGUSR1)
        submit(task)

    with connected() as pair, comch.Stream(pair.here) as stream:
        theirs = pair.start(pair.there, _receive)
        monkeypatch.setattr(comch.ProducerSendTask, "submit", submit_beside_a_signal)
        before = signal.signal(signal.SIGUSR1, handle)
        try:
            with pytest.raises(kind, match="the program's own"):
                _send(stream)
        finally:
            signal.signal(signal.SIGUSR1, before)
        assert isinstance(theirs.exception(SOON_S), comch.IoFailed)


def _struck_twice(monkeypatch: pytest.MonkeyPatch, stream: comch.Stream) -> None:
    """Interrupt a send in its source, and again while the other side is notified of that."""
    say = _stream_link.Link.say

    def say_beside_a_signal(link: _stream_link.Link, kind: _stream_link.Kind, *args: Any, **named: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        say(link, kind, *args, **named)

    class Source(io.BytesIO):
        def readinto(self, buffer: Any) -> int:
            signal.raise_signal(signal.SIGINT)
            return super().readinto(buffer)

    with monkeypatch.context() as patched:
        patched.setattr(_stream_link.Link, "say", say_beside_a_signal)
        stream.send_stream(Source(_DATA))


def _struck_as_it_takes_the_offer(monkeypatch: pytest.MonkeyPatch, stream: comch.Stream) -> None:
    def transfer_beside_a_signal(number: int, *, sends: bool) -> _stream_link.Transfer:
        if not sends:
            signal.raise_signal(signal.SIGINT)
        return _stream_link.Transfer(number, sends=sends)

    with monkeypatch.context() as patched:
        patched.setattr("comch_next.stream.Transfer", transfer_beside_a_signal)
        _receive(stream)


@pytest.mark.parametrize(
    ("struck", "work", "other"),
    [(_struck_twice, _send, _receive), (_struck_as_it_takes_the_offer, _receive, _send)],
    ids=["send", "receive"],
)
def test_the_other_side_is_notified_at_once(
    monkeypatch: pytest.MonkeyPatch, struck: Callable[[pytest.MonkeyPatch, comch.Stream], None], work: Work, other: Work
) -> None:
    refused: list[comch.IoFailed] = []

    def again(stream: comch.Stream) -> Any:
        try:
            return other(stream)
        except comch.IoFailed as error:
            refused.append(error)
            return other(stream)

    with connected() as pair, comch.Stream(pair.here) as stream:
        theirs = pair.start(pair.there, again)
        with pytest.raises(KeyboardInterrupt):
            struck(monkeypatch, stream)
        until(lambda: refused)
        assert work(stream) in (_DATA, len(_DATA))
        assert theirs.result(SOON_S) in (_DATA, len(_DATA))


@pytest.mark.parametrize(("work", "other"), _SIDES)
def test_a_giving_back_that_is_interrupted_goes_on(work: Work, other: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a handler in a callback that the close of what a call has made comes to."""
    close, closed = module._close_at_once, list[Any]()

    def struck(context: Any) -> None:
        if not closed and threading.current_thread() is threading.main_thread():
            closed.append(context)
            raise KeyboardInterrupt
        close(context)

    def twice(stream: comch.Stream) -> None:
        other(stream)
        other(stream)

    monkeypatch.setattr(module, "_close_at_once", struck)
    before = collected_fds(), mapped()
    with connected() as pair, comch.Stream(pair.here) as stream:
        theirs = pair.start(pair.there, twice)
        with pytest.raises(KeyboardInterrupt):
            work(stream)
        work(stream)
        theirs.result(SOON_S)
    closed.clear()
    assert (collected_fds(), mapped()) == before
