"""What `send` and `receive` take does not depend on whether there is room, or something to receive."""

from __future__ import annotations

import mmap
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import comch_next as comch
from tests.pull.support import End, Stage

CALLS: dict[str, Callable[[End], Any]] = {
    "a time-out of a port's receive": lambda end: end.port.receive(timeout=0),  # type: ignore[call-arg]
    "two sizes of a port's receive": lambda end: end.port.receive(64, 64),  # type: ignore[call-arg]
    "a name that receive has not": lambda end: end.context.receive(seconds=0),
    "a time-out by its place": lambda end: end.context.receive(64, 0),
    "a name that a port's send has not": lambda end: end.port.send(end.connection, b"x", timeout=0),  # type: ignore[call-arg]
    "a port's send without a message": lambda end: end.port.send(end.connection),  # type: ignore[call-arg]
    "a name that send has not": lambda end: end.connection.send(b"x", junk=1),  # type: ignore[call-arg]
    "a second name": lambda end: end.connection.send(b"x", timeout=0, junk=1),  # type: ignore[call-arg]
    "a time-out twice": lambda end: end.connection.send(b"x", 0, timeout=0),  # type: ignore[misc]
    "three arguments of send": lambda end: end.connection.send(b"x", 0, 0),  # type: ignore[call-arg]
    "no message": lambda end: end.connection.send(),  # type: ignore[call-arg]
}


@pytest.fixture
def pair(stage: Stage, form: str) -> tuple[End, End]:
    return stage.pair("driver", form)


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
@pytest.mark.parametrize("waits", [False, True])
def test_refused_with_and_without_a_message(pair: tuple[End, End], call: Callable[[End], Any], waits: bool) -> None:
    """A TypeError, as of any Python call, that sends and takes nothing."""
    server, client = pair
    if waits:
        server.send(b"waits")
    with pytest.raises(TypeError):
        call(client)
    if waits:
        assert client.receive() == b"waits"
    client.send(b"alone")
    assert server.receive() == b"alone"
    with pytest.raises(comch.Again):
        server.context.receive(timeout=0)


def released() -> memoryview:
    made = memoryview(bytearray(8))
    made.release()
    return made


def closed() -> mmap.mmap:
    made = mmap.mmap(-1, 8)
    made.close()
    return made


SENDS: dict[str, Callable[[End, Any], Any]] = {
    "send": lambda end, data: end.connection.send(data, timeout=0),
    "send_to": lambda end, data: end.context.send_to(data, end.connection, 0),
    "part of it": lambda end, data: end.context.send_to(data, end.connection, 0, length=1),
    "a port's send": lambda end, data: end.port.send(end.connection, data),
}


@pytest.mark.parametrize("send", SENDS.values(), ids=list(SENDS))
@pytest.mark.parametrize("gone", [released, closed])
def test_memory_that_has_gone_is_refused(
    pair: tuple[End, End], gone: Callable[[], Any], send: Callable[[End, Any], Any]
) -> None:
    server, client = pair
    with pytest.raises(comch.InvalidValue, match=r"released memory|closed=True"):
        send(client, gone())
    assert client.context.try_send_to(gone(), client.connection) == comch.ErrorCode.INVALID_VALUE
    client.send(b"alone")
    assert server.receive() == b"alone"


LONG = 10**5000  # which Python does not write
NUMBERS: dict[str, Callable[[End], Any]] = {
    "a size": lambda end: end.context.receive(-LONG, timeout=0),
    "a time-out": lambda end: end.context.receive(timeout=-LONG),
    "a length": lambda end: end.context.send_to(b"x", end.connection, length=LONG),
    "a connection": lambda end: end.context.send_to(b"x", LONG),
    "a counter": lambda end: end.connection.get_counter(LONG),  # type: ignore[arg-type]
    "a setting": lambda end: comch.Client(end.context.device, max_msg_size=LONG),
    "a setting of generation 1": lambda end: comch.Channel(max_msg_size=LONG, one_sided=True),
    "callbacks": lambda end: comch.ProgressEngine(max_events=LONG),
    "memory": lambda end: comch.Mmap(memory=LONG),
    "an address": lambda end: comch.open_device(LONG),  # type: ignore[arg-type]
    "a number among others": lambda end: comch.open_device([LONG]),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("call", NUMBERS.values(), ids=list(NUMBERS))
def test_a_number_that_python_does_not_write_is_refused(pair: tuple[End, End], call: Callable[[End], Any]) -> None:
    with pytest.raises(comch.InvalidValue, match=r"a whole number of 16610 bits|a list that has no repr"):
        call(pair[1])


@pytest.mark.parametrize("timeout", [Decimal("nan"), Decimal(1), timedelta(1), 1j, "1"], ids=repr)
def test_what_is_no_time_out_is_refused(pair: tuple[End, End], timeout: Any) -> None:
    for call in (pair[1].context.receive, pair[1].context.engine.wait, pair[1].connection.flush):
        with pytest.raises(comch.InvalidValue, match="timeout"):
            call(timeout=timeout)


@pytest.mark.parametrize("timeout", [Fraction(1, 1000), False, True, -0.0])
def test_what_is_a_time_out(pair: tuple[End, End], timeout: Any) -> None:
    with pytest.raises((comch.TimeOut, comch.Again)):
        pair[1].context.receive(timeout=timeout)
