"""Several clients under violence: no loss, duplicate or reorder while alive, one report per death, no growth.

Short here; `make stress` runs it for COMCH_STRESS_SECONDS with a new seed, or with that of COMCH_STRESS_SEED.
"""

from __future__ import annotations

import os
import random

import pytest

from tests.processes import StartPython
from tests.stress.conductor import Conductor

SECONDS = float(os.environ.get("COMCH_STRESS_SECONDS", "4"))
SEED = int(os.environ.get("COMCH_STRESS_SEED") or random.randrange(1 << 32))


@pytest.mark.timeout(SECONDS + 60)
def test_nothing_is_lost_under_violence(start_python: StartPython) -> None:
    print(f"COMCH_STRESS_SEED={SEED} COMCH_STRESS_SECONDS={SECONDS:g}")
    conductor = Conductor(start_python, SEED, SECONDS)
    conductor.run()
    fates = conductor.check()
    print(dict(fates))
    assert fates["met"] > 0
