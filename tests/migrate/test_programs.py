"""Programs as users write them: as they are, migrated, and one end of each, they print the same and end the same."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from tests.migrate.programs import NOT_WHOLE, PROGRAMS, READY, End, Migrated, Way, migrate, run
from tests.processes import Finished, StartPython

Rewrite = Callable[[str], Migrated]
PAIRINGS = {"new/new": (True, True), "old/new": (False, True), "new/old": (True, False), "new": (True,)}
COMPARED = [
    pytest.param(name, new, id=f"{name}-{pairing}")
    for name, (pairing, new) in product(READY, PAIRINGS.items())
    if len(new) == len(PROGRAMS[name].ends())
]


@pytest.fixture(scope="module")
def rewrite(tmp_path_factory: pytest.TempPathFactory) -> Rewrite:
    """Migrate a program, once for all pairings."""
    done: dict[str, Migrated] = {}

    def rewrite(name: str) -> Migrated:
        if name not in done:
            done[name] = migrate(PROGRAMS[name], tmp_path_factory.mktemp(name))
        return done[name]

    return rewrite


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_it_is(start_python: StartPython, name: str) -> None:
    program = PROGRAMS[name]
    old = Way(program.folder, launched=True)
    ends = program.ends()
    assert list(run(start_python, program, [old] * len(ends))) == ends


@pytest.mark.parametrize("name", [name for name in READY if name not in NOT_WHOLE])
def test_migrates_whole(rewrite: Rewrite, name: str) -> None:
    migrated = rewrite(name)
    assert migrated.finished.returncode == 0, migrated.finished
    assert migrated.old_imports() == []


@pytest.mark.parametrize("name", [name for name in READY if name in NOT_WHOLE])
def test_what_is_left_is_reported(rewrite: Rewrite, name: str) -> None:
    migrated = rewrite(name)
    assert bool(migrated.old_imports()) == (migrated.finished.returncode != 0), migrated.finished


@pytest.mark.parametrize(("name", "new"), COMPARED)
def test_migrated(start_python: StartPython, rewrite: Rewrite, name: str, new: tuple[bool, ...]) -> None:
    """A program that has migrated whole needs no launcher any more."""
    program, migrated = PROGRAMS[name], rewrite(name)
    ways = {
        False: Way(program.folder, launched=True),
        True: Way(migrated.folder, launched=bool(migrated.old_imports())),
    }
    assert list(run(start_python, program, [ways[end] for end in new])) == program.ends()


def test_transcripts_of_both_ends() -> None:
    assert PROGRAMS["late_service"].ends()[1] == End(
        "service.py", "up: DOCA_SUCCESS\n" + "".join(f"request {n} of a new peer\n" for n in range(3)), 0
    )
    assert [end.command for end in PROGRAMS["chat_tool"].ends()] == ["tool.py -l", "tool.py"]


def test_old_imports_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import sys, doca_comm_channel as cc\nprint('import doca_comm_channel')\n")
    (tmp_path / "b.py").write_text("def f():\n    from doca_comm_channel import Again\n")
    assert Migrated(tmp_path, Finished(0, "", "")).old_imports() == ["a.py:1", "b.py:2"]
