"""Programs of one process, on both sides, and what the old side of each does, run once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from migrate.outcome import Options
from migrate.verify import trees
from migrate.verify.account import Account
from migrate.verify.peers import Peer, Script
from migrate.verify.stage import Remains, Stage
from tests.verify.cases import UNHURRIED

PROGRAMS = Path(__file__).parent / "programs"


class Bench(NamedTuple):
    """A program of one process, ready to run; its new side may be changed."""

    stage: Stage
    script: Path
    right: str

    def old(self, faults: str = "") -> Account:
        """Run the old side."""
        return Account.of(*self.stage.run("run of old", [False], faults))

    def new(self, text: str, faults: str = "") -> Remains:
        """Run the new side with a text."""
        self.script.write_text(text)
        (remains,) = self.stage.run("run of new", [True], faults)
        return remains


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Bench]:
    """Migrate a program of one process, once."""

    @cache
    def made(name: str) -> Bench:
        home = tmp_path_factory.mktemp(name)
        script = Path(f"{name}.py")
        (home / "given").mkdir()
        (home / "given" / script).write_bytes((PROGRAMS / script).read_bytes())
        sides = trees.migrated(home / "given", [script], home, Options())
        stage = Stage(sides, [Peer("program", Script(script), Script(script))], UNHURRIED, home)
        return Bench(stage, sides.new / script, (sides.new / script).read_text())

    return made


@pytest.fixture(scope="session")
def old_account(bench: Callable[[str], Bench]) -> Callable[[str, str], Account]:
    """What the old side of a program does under faults, run once."""

    @cache
    def run(name: str, faults: str) -> Account:
        return bench(name).old(faults)

    return run
