"""Threads of the host on the objects of one DPA, whose kernel may fail meanwhile: refusals only, and all can end."""

from __future__ import annotations

import random
import threading
from contextlib import suppress
from functools import partial
from types import SimpleNamespace
from typing import Any

import pytest

import comch_next as comch
from tests.budget import SECONDS, repeat
from tests.dpa.world import PATIENCE_S, Kernel, Queues, echo, until

pytestmark = [pytest.mark.usefixtures("printed"), pytest.mark.timeout(SECONDS + 120)]

DUELLISTS = 3
CALLS = 60
VERBS = ("start", "stop", "run", "progress", "get_dpa_handle")


def may_fail(arg: SimpleNamespace) -> None:
    if random.random() < 0.3:
        raise ZeroDivisionError
    echo(arg)


def parts(lane: Queues) -> list[Any]:
    """What is stopped and destroyed, the users first."""
    contexts = [lane.producer, lane.consumer, lane.dpa_producer, lane.dpa_consumer]
    return [*contexts, lane.completion, lane.sent, lane.to, lane.back, lane.thread, lane.dpa]


def duel(lane: Queues, seed: float, wrong: list[BaseException]) -> None:
    choice = random.Random(seed)
    for _ in range(CALLS):
        part = choice.choice([*parts(lane), lane.engine])
        call = getattr(part, choice.choice([verb for verb in VERBS if hasattr(part, verb)]))
        try:
            call()
        except comch.DocaError:
            continue
        except BaseException as error:
            wrong.append(error)


def end(lane: Queues) -> None:
    """In the documented order, from wherever it stands."""
    for part in parts(lane):
        if hasattr(part, "close"):
            part.close()
            continue
        for call in (part.stop, part.destroy):
            with suppress(comch.BadState):  # it was stopped
                call()


def one_duel(kernel: Kernel) -> None:
    wrong: list[BaseException] = []
    lane = Queues(kernel)
    lane.thread.run()
    threads = [threading.Thread(target=duel, args=(lane, random.random(), wrong)) for _ in range(DUELLISTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
    end(lane)
    lane.engine.destroy()
    assert wrong == []
    until(None, lambda: not [thread for thread in threading.enumerate() if "DPA" in thread.name])


@pytest.mark.parametrize("kernel", [echo, may_fail], ids=["echo", "may_fail"])
def test_duels_end_in_refusals(kernel: Kernel) -> None:
    repeat(partial(one_duel, kernel))
