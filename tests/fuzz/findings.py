"""How long to look for new cases, from which seed, and where those go that have found something."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

from tests.budget import SEED, seconds
from tests.fuzz.grammar import Case, Grammar, parse, render
from tests.fuzz.mutation import Mutator
from tests.processes import ROOT

_TARGETS = 8  # kernel, exports, and server and client in three forms have an eighth of the time each
SECONDS = seconds(4) / _TARGETS
_FOUND = ROOT / "build" / "fuzz"


def to_replay(grammar: Grammar) -> dict[str, Case]:
    """The committed cases; with COMCH_FUZZ_CASE=FILE only that one, if it lies in a folder of the grammar's name."""
    chosen = os.environ.get("COMCH_FUZZ_CASE")
    if not chosen:
        return grammar.seeds()
    path = Path(chosen)
    return {path.stem: parse(path.read_text(encoding="ascii"))} if path.parent.name == grammar.name else {}


def new_cases(grammar: Grammar, most: int) -> Iterator[dict[str, Case]]:
    """Batches of `most` cases until the time is over; none while a single case is replayed."""
    if os.environ.get("COMCH_FUZZ_CASE"):
        return
    print(f"COMCH_STRESS_SEED={SEED} for {SECONDS:g} seconds: {grammar.name}")
    mutator = Mutator(grammar, SEED)
    deadline, number = time.monotonic() + SECONDS, 0
    while time.monotonic() < deadline:
        yield {f"seed-{SEED}-{number + each}": mutator.case() for each in range(most)}
        number += most
    print(f"{number} cases")


def keep(grammar: Grammar, name: str, case: Case) -> str:
    """Write a case that has found something, and tell how to play it again."""
    path = _FOUND / grammar.name / f"{name}.case"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(render(case), encoding="ascii")
    return f"again: COMCH_FUZZ_CASE={path.relative_to(ROOT)} .venv/bin/python -m pytest tests/fuzz\n{render(case)}"
