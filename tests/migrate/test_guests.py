"""Programs of generation 2 in other people's manner, through cffi and ctypes: which of them migrate, and as what."""

from __future__ import annotations

import pytest

from migrate.outcome import Level
from migrate.rewriting import level, rewrite_project
from tests.verify.cases import GUESTS

# Those that stay whole in C, and why.
STAYS = {
    "cffi/refusals": "it prints NULL",
    "ctypes/pump_package": "prototypes are made by a decorator that reads annotations, and raise by errcheck",
}


@pytest.mark.parametrize("name", GUESTS)
def test_a_guest_is_whole_or_stays_for_a_reason(name: str) -> None:
    """What the whole ones do is verified with all other programs."""
    folder = GUESTS[name].folder
    files = {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*.py"))}
    outcomes = rewrite_project(files)
    left = {
        finding.code
        for outcome in outcomes
        for finding in outcome.findings
        if finding.code and level(finding.code) is not Level.SAFE
    }
    assert bool(left) == (name in STAYS), left
    if name in STAYS:
        for outcome in outcomes:
            kept = [line for line in outcome.new.splitlines() if not line.lstrip().startswith(b"# CCM")]
            assert kept == outcome.old.splitlines()


def test_every_reason_is_of_a_guest() -> None:
    assert STAYS.keys() <= GUESTS.keys()
