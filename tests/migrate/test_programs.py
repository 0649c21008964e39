"""Programs as users write them: as they are, migrated, and one end of each say the same and end the same."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from tests.migrate.programs import (
    FOLDER,
    NAMES,
    NOT_WHOLE,
    PROGRAMS,
    READY,
    Migrated,
    Program,
    Way,
    migrate,
    run,
)
from tests.processes import StartPython

Rewrite = Callable[[str], Migrated]
PAIRINGS = {"new/new": (True, True), "old/new": (False, True), "new/old": (True, False), "new": (True,)}
COMPARED = [
    pytest.param(name, new, id=f"{name}-{pairing}")
    for name, (pairing, new) in product(READY, PAIRINGS.items())
    if len(new) == len(NAMES[name].ends)
]


@pytest.fixture(scope="module")
def rewrite(tmp_path_factory: pytest.TempPathFactory) -> Rewrite:
    """Migrate a program, once for all pairings."""
    done: dict[str, Migrated] = {}

    def rewrite(name: str) -> Migrated:
        if name not in done:
            done[name] = migrate(NAMES[name], tmp_path_factory.mktemp(name))
        return done[name]

    return rewrite


def test_the_table_names_each_folder() -> None:
    assert sorted(NAMES) == sorted(folder.name for folder in FOLDER.iterdir())
    assert len(NAMES) == len(PROGRAMS)
    assert {*READY, *NOT_WHOLE} <= set(NAMES)


@pytest.mark.parametrize("program", PROGRAMS, ids=NAMES)
def test_as_it_is(start_python: StartPython, program: Program) -> None:
    old = Way(program.folder, launched=True)
    assert list(run(start_python, program, [old] * len(program.ends))) == program.transcript()


@pytest.mark.parametrize("name", [name for name in READY if name not in NOT_WHOLE])
def test_migrates_whole(rewrite: Rewrite, name: str) -> None:
    migrated = rewrite(name)
    assert migrated.finished.returncode == 0, migrated.finished
    assert migrated.old_imports() == []


@pytest.mark.parametrize(("name", "new"), COMPARED)
def test_migrated(start_python: StartPython, rewrite: Rewrite, name: str, new: tuple[bool, ...]) -> None:
    """A program that migrates whole needs no launcher any more."""
    program = NAMES[name]
    ways = {
        False: Way(program.folder, launched=True),
        True: Way(rewrite(name).folder, launched=name in NOT_WHOLE),
    }
    assert list(run(start_python, program, [ways[end] for end in new])) == program.transcript()
