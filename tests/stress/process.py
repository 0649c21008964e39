"""What the processes under stress have in common, whichever face they use."""

from __future__ import annotations

import random
import select
import sys

from tests.processes import SOON_S

MOST_CLIENTS = 8
PATIENCE_S = 60.0  # for a side that may have been stopped
END_S = SOON_S


def say(*words: object) -> None:
    """One line in one write: whoever is killed has said the whole of it, or nothing."""
    print(" ".join(map(str, words)) + "\n", end="", flush=True)


def told_to_end() -> bool:
    return bool(select.select([sys.stdin], [], [], 0)[0])


def depth(rng: random.Random) -> int:
    return rng.choice((1, 2, 64, rng.randint(1, 64)))
