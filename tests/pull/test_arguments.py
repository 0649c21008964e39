"""What `send` and `receive` take does not depend on whether there is room, or something to receive."""

from __future__ import annotations

from collections.abc import Callable
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
