"""The modern samples on the native driver, over the C libraries of this project, and beside emulated ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.native.faces import NativeStage
from tools.side_by_side import MODERN_ONLY, SAMPLES, differences

PAYLOAD = bytes(range(256)) * 100


@pytest.mark.parametrize(("service", "client"), [("native", "native"), ("native", "emulated"), ("emulated", "native")])
@pytest.mark.parametrize("sample", [*SAMPLES, *MODERN_ONLY])
def test_sample(runtime_dir: Path, sample: str, service: str, client: str) -> None:
    stage = NativeStage(runtime_dir, PAYLOAD)
    outcome = stage.run_pair(sample, service, client)
    assert outcome.failures() == []
    if sample in SAMPLES:
        assert differences(stage.run_pair(sample, "emulated", "emulated"), outcome) == []
