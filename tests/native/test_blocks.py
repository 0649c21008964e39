"""What every message costs is given back: the calls in C leave no object behind, whatever becomes of a message."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import pairwise

import pytest

from comch_next import DocaError, InvalidValue
from tests.native.conftest import Log
from tests.native.test_callbacks import Loop

TURNS = 400
FEW = 40  # blocks; one for each turn would be ten times as many
RUNS = 5  # by the one that leaves the fewest: others may leave what Python keeps


@pytest.fixture
def running(stub: Log, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loop]:
    monkeypatch.setattr(sys, "unraisablehook", id)  # which the second exception of a progress goes to
    made = Loop()
    made.run()
    yield made
    made.close()


def round_trip(loop: Loop) -> None:
    loop.send(b"x" * 60)
    while loop.engine.progress():
        pass


def failing_callbacks(loop: Loop) -> None:
    loop.raises = {"message": LookupError(), "done": LookupError()}
    with pytest.raises(LookupError):
        round_trip(loop)
    loop.raises.clear()


def refusals(loop: Loop) -> None:
    task = loop.client.task_send_alloc_init(loop.client.connection, b"held")
    task.free()
    for call in (task.submit, task.free):
        with suppress(DocaError):
            call()
    with suppress(InvalidValue):
        loop.client.task_send_alloc_init(None, b"x")  # type: ignore[arg-type]


def dropped(loop: Loop) -> None:
    loop.client.task_send_alloc_init(loop.client.connection, b"dropped")
    loop.client.task_send_alloc_init(loop.client.connection, b"freed").free()


@pytest.mark.parametrize("turn", [round_trip, failing_callbacks, refusals, dropped])
def test_no_block_of_memory_is_left(
    running: Loop, turn: Callable[[Loop], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)  # pytest's keeps what it gets

    def blocks() -> int:
        for _ in range(TURNS):
            turn(running)
            running.told.clear()
        gc.collect()
        return sys.getallocatedblocks()

    blocks()
    counts = [blocks() for _ in range(RUNS)]
    assert min(after - before for before, after in pairwise(counts)) < FEW
