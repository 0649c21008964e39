"""How long tests look for new cases, and from which seed: a few in a run of the suite, many under stress."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable

__all__ = ["SECONDS", "SEED", "repeat", "seconds"]


def seconds(usual: float) -> float:
    """Return how long all cases of one test take together: COMCH_STRESS_SECONDS, or as long as usual."""
    return float(os.environ.get("COMCH_STRESS_SECONDS", usual))


SECONDS = seconds(0)
SEED = int(os.environ.get("COMCH_STRESS_SEED") or random.randrange(1 << 32))


def repeat(test: Callable[[], object]) -> None:
    """Run a test once, or under stress again and again until the time is over."""
    end = time.monotonic() + SECONDS
    test()
    while time.monotonic() < end:
        test()
