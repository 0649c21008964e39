"""A service that watches who comes and goes says the same before and after its rewrite, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrate import Level, rewrite
from tests.processes import StartPython

DATA = Path(__file__).parent / "data"
PROGRAMS = ("watch_objects.py", "watch_flat.py")
ENDS = (("new", "new"), ("new", "old"), ("old", "new"))  # (service, visitors)
Told = list[tuple[int, str]]


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """How a program is started: old by the launcher, new by Python alone."""
    folder = tmp_path_factory.mktemp("new")
    for name in PROGRAMS:
        outcome = rewrite((DATA / name).read_bytes(), name)
        assert {finding.level for finding in outcome.findings} == {Level.SAFE}
        (folder / name).write_bytes(outcome.new)
    return {"old": ["-m", "comm_channel_compat", "run", str(DATA)], "new": [str(folder)]}


def arguments(commands: dict[str, list[str]], manner: str, program: str) -> list[str]:
    *launcher, folder = commands[manner]
    return [*launcher, f"{folder}/{program}"]


def watched(start_python: StartPython, service: list[str], visitor: list[str]) -> Told:
    """A first visitor who leaves, and a second whom the service sends away."""
    serving = start_python(*service, "serve")
    serving.wait_for("listening")
    first = start_python(*visitor, "visit", "first")
    first.wait_for("answered")
    first.say("go\n")
    serving.wait_for("left")
    second = start_python(*visitor, "visit", "second")
    second.wait_for("answered")
    finished = [first.finish(), serving.finish()]
    second.say("go\n")
    return [(each.returncode, each.stdout) for each in [*finished, second.finish()]]


@pytest.mark.parametrize("program", PROGRAMS)
def test_all_ends_say_the_same(start_python: StartPython, commands: dict[str, list[str]], program: str) -> None:
    old = arguments(commands, "old", program)
    expected = watched(start_python, old, old)
    assert [status for status, _ in expected] == [0, 0, 0], expected
    assert "sent away 0" in expected[1][1]
    for service, visitor in ENDS:
        told = watched(start_python, arguments(commands, service, program), arguments(commands, visitor, program))
        assert told == expected


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_service_that_loses_its_name_says_the_same(
    start_python: StartPython, commands: dict[str, list[str]], program: str
) -> None:
    old, new = (start_python(*arguments(commands, each, program), "lose").finish() for each in ("old", "new"))
    assert old.stdout.count("DOCA_ERROR_CONNECTION_RESET") >= 4, old
    assert (new.returncode, new.stdout) == (old.returncode, old.stdout), new.stderr
