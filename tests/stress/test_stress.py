"""Several clients under violence: no loss, duplicate or reorder while alive, one report per death, no growth.

Under both APIs and on both forms of the pull port, and once more with tasks and the fast path: a fifth of
COMCH_STRESS_SECONDS each. Short here; `make stress` takes ten minutes. Every run has a new seed, or that of
COMCH_STRESS_SEED.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from tests.budget import SEED, seconds
from tests.processes import StartPython
from tests.pull.support import FORMS
from tests.stress.conductor import Conductor
from tests.stress.faces import FACES
from tests.stress.stream import Fault, Stream

SECONDS = seconds(15) / (len(FACES) * len(FORMS) + 1)


@pytest.mark.timeout(SECONDS + 300)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("face", FACES)
def test_nothing_is_lost_under_violence(
    start_python: StartPython, monkeypatch: pytest.MonkeyPatch, face: str, form: str
) -> None:
    monkeypatch.setenv("COMCH_PULL", form)
    run(start_python, face)


@pytest.mark.timeout(SECONDS + 300)
def test_nothing_is_lost_with_tasks_and_the_fast_path(start_python: StartPython) -> None:
    run(start_python, "callbacks")


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "the tail lost": lambda data: data[:-1],
    "all lost but the header": lambda data: data[:15],
    "grown": lambda data: data + b"x",
    "a part moved": lambda data: data[:100] + data[110:120] + data[100:110] + data[120:],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_noticed(damage: str) -> None:
    """By what checks the messages under stress."""
    sent: list[bytes] = []
    sender = Stream(SimpleNamespace(send=lambda data, timeout: sent.append(data)), random.Random(0), 5)
    while not sent or len(sent[-1]) < 500:
        sender.send()
    receiver = Stream(None, random.Random(0))
    for data in sent[:-1]:
        receiver.take(data)
    with pytest.raises(Fault, match="has been changed"):
        receiver.take(DAMAGES[damage](sent[-1]))


def run(start: StartPython, face: str) -> None:
    print(f"COMCH_STRESS_SEED={SEED} for {SECONDS:g} seconds: {face}, {os.environ.get('COMCH_PULL')}")
    conductor = Conductor(start, face, SEED, SECONDS)
    conductor.run()
    fates = conductor.check()
    print(dict(fates))
    assert fates["met"] > 0
