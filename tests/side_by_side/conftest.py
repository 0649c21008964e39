"""The stage that the pairs run on, and what the old pairs told: the reference for everything else."""

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tools.side_by_side import PairOutcome, Stage, copy_samples, migrate

# Enough segments to fill every queue of the old sample many times over, and a short last one.
PAYLOAD = random.Random(7).randbytes(300_001)


@pytest.fixture
def stage(tmp_path: Path, forked: None) -> Stage:
    return Stage(tmp_path, PAYLOAD)


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], PairOutcome]:
    """What both ends of the unchanged old pair of a sample told."""

    @cache
    def run(sample: str) -> PairOutcome:
        outcome = Stage(tmp_path_factory.mktemp(sample), PAYLOAD).run_pair(sample, "old", "old")
        assert outcome.failures() == []
        return outcome

    return run


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the old samples as `migrate --write` leaves them."""
    folder = tmp_path_factory.mktemp("migrated")
    outcome = migrate("--write", *map(str, copy_samples(folder)))
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return folder
