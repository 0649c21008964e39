"""The verdicts of the old programs of the tree, as verdicts.txt has them, and a verification that meets them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from migrate.verify import report
from migrate.verify.rounds import Rounds
from migrate.verify.trees import Trees
from migrate.verify.verdict import Result, Verdict
from tests.verify.cases import CASES, Heard

VERDICTS = dict(line.split(": ", 1) for line in Path(__file__).with_name("verdicts.txt").read_text().splitlines())
# Words of the table. A program that is refused has the codes of what stays old instead.
EQUIVALENT, WHERE_IT_RAN, VARIES = WORDS = ("equivalent", "equivalent where it ran", "varies from run to run")
TIMED = "prints the same"
# What a program does only when it has to wait: for room to send in, for a task, for its client; and for an answer.
_HURDLES = ",".join((*(f"again:{kind}@2x3" for kind in ("send", "task", "producer")), "delay:service@1=0.2s"))
HURDLES = (_HURDLES, f"{_HURDLES},full:send@1=0.2s")


def verified(name: str, sides: Trees, home: Path, pairings: Sequence[tuple[bool, ...]] = (), times: int = 1) -> Heard:
    """Verify a program, compare the verdict, and return what was printed.

    A call that is made after a wait only may not be made on its own: then hurdles are put up.
    """
    stage = Heard(CASES[name].stage(sides, home))
    result = Rounds(stage, pairings=pairings, faults=(), times=times).result()
    for hurdles in HURDLES:
        if VERDICTS[name] == EQUIVALENT and result.never_ran:
            result = Rounds(stage, pairings=pairings, faults=[hurdles]).result()
    _check(name, result)
    return stage


def _check(name: str, result: Result) -> None:
    """Compare a result with the table."""
    verdict, shown = VERDICTS[name], report.text(result)
    if verdict == TIMED:  # how often its pool of tasks is empty, which only Python's calls tell: its caller compares
        assert not result.stays, shown
        return
    assert result.verdict is not Verdict.DIVERGED, shown
    codes = " ".join(sorted({stays.code for stays in result.stays}))
    assert codes == ("" if verdict in WORDS else verdict), shown
    assert verdict == VARIES or not result.divergences, shown
    assert verdict != EQUIVALENT or result.verdict is Verdict.EQUIVALENT, shown
    assert verdict not in WORDS or not result.reasons, shown
