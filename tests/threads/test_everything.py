"""Threads on every public call that there is, found by introspection: see everything.

Short here; with COMCH_STRESS_SECONDS that long altogether. Every run has a new seed, or that of COMCH_STRESS_SEED.
"""

from __future__ import annotations

import pytest

from tests.budget import SEED, seconds
from tests.processes import StartPython
from tests.pull.support import FORMS

WORLDS = ("modern", "old")
SECONDS = seconds(6) / (len(WORLDS) * len(FORMS))


@pytest.mark.timeout(SECONDS + 300)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("world", WORLDS)
def test_threads_on_everything(start_python: StartPython, world: str, form: str) -> None:
    print(f"COMCH_STRESS_SEED={SEED}")
    arguments = ("-m", "tests.threads.everything", world, str(SECONDS), str(SEED))
    finished = start_python(*arguments, env={"COMCH_PULL": form}, deadline_s=SECONDS + 200).finish()
    assert finished.returncode == 0, finished.stdout + finished.stderr
