"""An interrupt at a random place of the library, during every public call: all can be closed, and nothing is left.

In each face of the library and both forms of the pull port: see strike. Short here; with COMCH_STRESS_SECONDS that long
altogether. Every run has a new seed, or that of COMCH_STRESS_SEED.
"""

from __future__ import annotations

import pytest

from tests.attacks import SECONDS, launch
from tests.processes import StartPython
from tests.threads.faces import DUELS


@pytest.mark.timeout(SECONDS + 300)
@pytest.mark.parametrize(("face", "form"), DUELS)
def test_interrupts_in_every_call(start_python: StartPython, face: str, form: str) -> None:
    launch(start_python, "tests.interrupts.strike", face, form)
