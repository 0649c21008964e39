"""An interrupt at a random place of the library, during every public call: all can be closed, and nothing is left.

In each face of the library and both forms of the pull port: see strike. Short here; with COMCH_STRESS_SECONDS that long
altogether. Every run has a new seed, or that of COMCH_STRESS_SEED.
"""

from __future__ import annotations

import os
import random

import pytest

from tests.processes import StartPython
from tests.threads.faces import DUELS

SECONDS = float(os.environ.get("COMCH_STRESS_SECONDS", "18")) / len(DUELS)
SEED = int(os.environ.get("COMCH_STRESS_SEED") or random.randrange(1 << 32))


@pytest.mark.timeout(SECONDS + 300)
@pytest.mark.parametrize(("face", "form"), DUELS)
def test_interrupts_in_every_call(start_python: StartPython, face: str, form: str) -> None:
    print(f"COMCH_STRESS_SEED={SEED}")
    arguments = ("-m", "tests.interrupts.strike", face, str(SECONDS), str(SEED))
    finished = start_python(*arguments, env={"COMCH_PULL": form}, deadline_s=SECONDS + 200).finish()
    assert finished.returncode == 0, finished.stdout + finished.stderr
