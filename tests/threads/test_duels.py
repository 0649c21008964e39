"""Threads against each other on every public call: which of them comes first is open, and nothing breaks.

Two threads work on one end of a connection while a third ends it, in each face of the library and both forms of the
pull port: see duel. Short here; with COMCH_STRESS_SECONDS that long altogether. Every run has a new seed, or that of
COMCH_STRESS_SEED.
"""

from __future__ import annotations

import pytest

from tests.attacks import SECONDS, launch
from tests.processes import StartPython
from tests.threads.faces import DUELS


@pytest.mark.timeout(SECONDS + 300)
@pytest.mark.parametrize(("face", "form"), DUELS)
def test_threads_on_every_call(start_python: StartPython, face: str, form: str) -> None:
    launch(start_python, "tests.threads.duel", face, form)
