"""A driver with faults, in this process; it leaves no descriptor behind."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import pytest

import comch_next as comch
from tests.descriptors import collected_fds, open_fds
from tests.pull.support import Stage

Demand = Callable[[str], None]


@pytest.fixture
def demand(monkeypatch: pytest.MonkeyPatch, fresh_driver: None) -> Iterator[Demand]:
    """Ask for faults; once per test, before anything is made."""
    before: list[int] = []

    def ask(text: str) -> None:
        monkeypatch.setenv("COMCH_FAULTS", text)
        comch.devices()
        before.append(collected_fds())

    yield ask
    gc.collect()  # an alarm's descriptor goes with its context
    assert before == [open_fds()]


@pytest.fixture
def make_stage(demand: Demand) -> Iterator[Callable[[str], Stage]]:
    """Ask for faults, and get a stage for pull ports."""
    made: list[Stage] = []

    def make(text: str) -> Stage:
        demand(text)
        made.append(Stage())
        return made[0]

    yield make
    for stage in made:
        stage.close()
