"""Ends that call the C library, through cffi, ctypes or compiled, tell the same as the old Python pair did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.rewriting import rewrite_project
from tools.side_by_side import SPELLED, PairOutcome, Stage, build_samples, differences

Reference = Callable[[str], PairOutcome]
CASES = [(spelling, sample) for spelling, (_, samples) in SPELLED.items() for sample in samples]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the samples in C, compiled as their first comments say."""
    folder = tmp_path_factory.mktemp("compiled samples")
    build_samples(folder)
    return folder


PAIRINGS = [("{}", "{}"), ("{}", "old"), ("old", "{}"), ("{}", "new"), ("new", "{}")]  # (service, client)


@pytest.mark.parametrize(("service", "client"), PAIRINGS)
@pytest.mark.parametrize(("spelling", "sample"), CASES)
def test_pairing_tells_the_same(
    stage: Stage, reference: Reference, built: Path, spelling: str, sample: str, service: str, client: str
) -> None:
    ends = service.format(spelling), client.format(spelling)
    outcome = replace(stage, built=built).run_pair(sample, *ends)
    assert outcome.failures() + differences(reference(sample), outcome) == []


def test_migrate_rewrites_what_calls_c_through_cffi() -> None:
    sources = {path: path.read_bytes() for path in SPELLED["cffi"][0].glob("*.py")}
    outcomes = rewrite_project(sources)
    assert all(outcome.changed for outcome in outcomes)
    left = {name for outcome in outcomes for name in (b"doca_", b"# CCM", b" ffi.") if name in outcome.new}
    assert not left
