"""Several clients under violence: no loss, duplicate or reorder while alive, one report per death, no growth.

Under both APIs and on both forms of the pull port, and once more with tasks and the fast path: a fifth of
COMCH_STRESS_SECONDS each. Short here; `make stress` takes ten minutes. Every run has a new seed, or that of
COMCH_STRESS_SEED.
"""

from __future__ import annotations

import os

import pytest

from tests.budget import SEED, seconds
from tests.processes import StartPython
from tests.pull.support import FORMS
from tests.stress.conductor import Conductor
from tests.stress.faces import FACES

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


def run(start: StartPython, face: str) -> None:
    print(f"COMCH_STRESS_SEED={SEED} for {SECONDS:g} seconds: {face}, {os.environ.get('COMCH_PULL')}")
    conductor = Conductor(start, face, SEED, SECONDS)
    conductor.run()
    fates = conductor.check()
    print(dict(fates))
    assert fates["met"] > 0
