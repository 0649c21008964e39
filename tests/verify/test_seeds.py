"""Every wrong rewrite is seen by comparison, and no right one is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from migrate.verify.account import TRACEBACKS, Account
from migrate.verify.comparison import differences
from migrate.verify.stage import KILLED
from tests.verify.conftest import PROGRAMS, Bench
from tests.verify.seeds import AGAIN, SEEDS, Seed

KINDS = {
    "swapped arguments", "dropped retry", "wrong peer", "short length", "lost disconnect", "swallowed code",
    "changed exit status", "reordered sends", "moved evaluation", "missing flush", "lost end", "lost setting",
    "another device", "other bytes of stdout", "failing send among good ones", "broadcast in another order",
    "moved print", "other failure of a call", "other traceback", "end by a signal", "other file",
}  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS, ids=lambda seed: f"{seed.kind}, {seed.name}, {seed.program}")
def test_a_wrong_rewrite_is_seen(
    bench: Callable[[str], Bench], old_account: Callable[[str, str], Account], seed: Seed
) -> None:
    stage = bench(seed.program)
    remains = stage.new(seed.applied(stage.right), seed.faults)
    assert remains.status != KILLED
    found = {part.topic for part in differences(old_account(seed.program, seed.faults), Account.of(remains))}
    assert found, remains.stdout
    assert (TRACEBACKS in found) == (seed.kind == "other traceback"), remains.stderr


@pytest.mark.parametrize("faults", ["", AGAIN])
@pytest.mark.parametrize("program", sorted(path.stem for path in PROGRAMS.glob("*.py")))
def test_a_right_rewrite_is_equal(
    bench: Callable[[str], Bench], old_account: Callable[[str, str], Account], program: str, faults: str
) -> None:
    stage = bench(program)
    expected = old_account(program, faults)
    for _ in range(3 if not faults else 1):
        remains = stage.new(stage.right, faults)
        assert differences(expected, Account.of(remains)) == [], remains.stderr


def test_there_are_enough_of_each_kind() -> None:
    kinds = Counter(seed.kind for seed in SEEDS)
    assert set(kinds) == KINDS
    assert min(kinds.values()) >= 2
    assert len(set(SEEDS)) == len(SEEDS) >= 40
