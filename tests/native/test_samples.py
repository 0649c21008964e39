"""The samples on the native driver, over the C libraries of this project, and beside emulated ends."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.native.faces import NativeStage
from tools.side_by_side import GENERATION_2, MODERN_ONLY, SAMPLES, PairOutcome, differences

PAYLOAD = bytes(range(256)) * 100
Reference = Callable[[str], PairOutcome]
NATIVE, EMULATED, OLD = "native new", "emulated new", "native old"


@pytest.fixture
def stage(runtime_dir: Path, forked: None) -> NativeStage:
    return NativeStage(runtime_dir, PAYLOAD)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """What both ends of a sample tell on the emulated driver."""

    @cache
    def run(sample: str) -> PairOutcome:
        return NativeStage(tmp_path_factory.mktemp(sample), PAYLOAD).run_pair(sample, EMULATED, EMULATED)

    return run


@pytest.mark.parametrize(("service", "client"), [(NATIVE, NATIVE), (NATIVE, EMULATED), (EMULATED, NATIVE)])
@pytest.mark.parametrize("sample", SAMPLES)
def test_sample(stage: NativeStage, reference: Reference, sample: str, service: str, client: str) -> None:
    outcome = stage.run_pair(sample, service, client)
    assert outcome.failures() == []
    assert differences(reference(sample), outcome) == []


@pytest.mark.parametrize(("service", "client"), [(OLD, OLD), (OLD, EMULATED), (EMULATED, OLD)])
@pytest.mark.parametrize("sample", SAMPLES)
def test_old_sample(stage: NativeStage, reference: Reference, sample: str, service: str, client: str) -> None:
    """By way of comm_channel_compat."""
    outcome = stage.run_pair(sample, service, client)
    assert outcome.failures() == []
    assert differences(reference(sample), outcome) == []


@pytest.mark.parametrize(("service", "client"), [(NATIVE, NATIVE), (NATIVE, EMULATED), (EMULATED, NATIVE)])
@pytest.mark.parametrize("sample", [*GENERATION_2, *MODERN_ONLY])
def test_modern_sample(stage: NativeStage, sample: str, service: str, client: str) -> None:
    """Those whose transcripts have times in them."""
    assert stage.run_pair(sample, service, client).failures() == []
