"""Threads against each other on every public call: which of them comes first is open, and nothing breaks.

Two threads work on one end of a connection while a third ends it, in each face of the library and both forms of the
pull port: see duel. Short here; with COMCH_STRESS_SECONDS that long altogether. Every run has a new seed, or that of
COMCH_STRESS_SEED.
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
def test_threads_on_every_call(start_python: StartPython, face: str, form: str) -> None:
    print(f"COMCH_STRESS_SEED={SEED}")
    arguments = ("-m", "tests.threads.duel", face, str(SECONDS), str(SEED))
    finished = start_python(*arguments, env={"COMCH_PULL": form}, deadline_s=SECONDS + 200).finish()
    assert finished.returncode == 0, finished.stdout + finished.stderr
