"""Programs that nobody wrote: each prints the same after its migration, on the emulated library."""

from __future__ import annotations

import difflib
import time

import pytest
from hypothesis import given, seed

from migrate.outcome import Level
from migrate.rewriting import rewrite
from tests.budget import SECONDS, SEED
from tests.examples import examples
from tests.migrate.generated.program import programs
from tests.migrate.runner import Runner

EXAMPLES = 60
WHOLE = 0.9  # the share of programs in which nothing is left to the reader


def _difference(text: str, runner: Runner) -> str | None:
    """How the migrated program's output differs; None when it was not migrated whole."""
    outcome = rewrite(text.encode())
    if outcome.skipped or any(finding.level is not Level.SAFE for finding in outcome.findings):
        return None
    new = outcome.new.decode()
    before, after = runner.run(text, launched=True), runner.run(new, launched=False)
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "old", "new", lineterm="")
    difference = "\n".join(lines)
    return f"{difference}\n\n{new}" if difference else ""


def _walk(runner: Runner, count: int, number: int) -> list[bool]:
    """Migrate and run the programs of a seed; which of them went through whole."""
    whole: list[bool] = []

    @seed(number)  # hypothesis takes its own from the text of this function
    @examples(count)
    @given(programs())
    def compare(text: str) -> None:
        difference = _difference(text, runner)
        whole.append(difference is not None)
        assert not difference, difference

    compare()
    return whole


@pytest.mark.timeout(300)
def test_generated_programs_print_the_same(runner: Runner) -> None:
    whole = _walk(runner, EXAMPLES, 0)
    assert sum(whole) >= WHOLE * len(whole)


@pytest.mark.skipif(not SECONDS, reason="new programs are made up under stress only")
@pytest.mark.timeout(0)
def test_new_programs_print_the_same(runner: Runner) -> None:
    end = time.monotonic() + SECONDS
    print(f"COMCH_STRESS_SEED={SEED}")
    count = 0
    while time.monotonic() < end:
        count += len(_walk(runner, 200, SEED + count))
    print(f"{count} programs")
