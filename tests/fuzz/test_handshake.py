"""A hostile peer says and writes what it likes, in any state; the victim serves the good one all the while."""

from __future__ import annotations

import pytest

from tests.fuzz import puller, victim
from tests.fuzz.arena import Arena, arena
from tests.fuzz.findings import SECONDS, keep, new_cases, to_replay
from tests.fuzz.grammar import HANDSHAKE, Case
from tests.processes import StartPython
from tests.pull.support import FORMS

_BATCH = 20

# What the library takes a connection up with.
HONEST = {
    "server": ("hello", "0", "0", "4080", "64", "64", "bell", "bell"),
    "client": ("welcome", "0", "0", "0", "4080", "64", "64", "from", "to", "bell", "bell"),
}


def for_role(cases: dict[str, Case], role: str) -> dict[str, Case]:
    """Those that are meant for it: a welcome is what a client is told."""
    return {
        name: case for name, case in cases.items() if any(step[0] == "welcome" for step in case) == (role == "client")
    }


def play_all(made: Arena, cases: dict[str, Case]) -> None:
    for name, case in cases.items():
        try:
            made.play(case)
        except Exception as error:
            raise AssertionError(f"{error}\n{keep(HANDSHAKE, name, case)}") from error


@pytest.mark.timeout(SECONDS + 300)
@pytest.mark.parametrize("form", ["tasks", *FORMS])
@pytest.mark.parametrize("role", ["server", "client"])
def test_a_liar_loses_its_own_connection_only(
    start_python: StartPython, monkeypatch: pytest.MonkeyPatch, role: str, form: str
) -> None:
    if form in FORMS:
        monkeypatch.setenv("COMCH_PULL", form)
    with arena(start_python, role, puller if form in FORMS else victim) as made:
        seeds = for_role(to_replay(HANDSHAKE), role)
        play_all(made, seeds)
        honest = [case for case in seeds.values() if case[0] == HONEST[role]]
        # Who pulls meets those that are still there when it looks.
        assert made.met >= (len(honest) if form == "tasks" else sum(case[1] == ("turn",) for case in honest))
        made.settle()
        play_all(made, seeds)
        for cases in new_cases(HANDSHAKE, _BATCH):
            play_all(made, for_role(cases, role))
