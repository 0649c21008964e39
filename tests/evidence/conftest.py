"""Old programs that are written dynamically, run once under the launcher, with the account of the run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from migrate import FileOutcome, Options, rewrite_project
from migrate.evidence.accounts import read
from tests.processes import StartPython

PROGRAMS = Path(__file__).parent / "programs"
LAUNCH = ("-m", "comm_channel_compat", "run", "--report", "run.json")


class Recorded(NamedTuple):
    """A program in a folder of its own, with the account of its run, which a test may change."""

    script: Path
    report: Path

    @property
    def facts(self) -> dict[str, Any]:
        """What the account says."""
        facts: dict[str, Any] = json.loads(self.report.read_text())
        return facts

    def change(self, facts: dict[str, Any]) -> None:
        """Have the account say something else."""
        self.report.write_text(json.dumps(facts))

    def migrated(self, *more: Path) -> FileOutcome:
        """Return what comes of the program with the account, and others."""
        accounts = tuple(read(path) for path in (self.report, *more))
        files = {self.script: self.script.read_bytes()}
        return rewrite_project(files, options=Options(evidence=accounts))[0]


@pytest.fixture
def letterbox(tmp_path: Path) -> None:
    """Something beside the program that takes handles, and gives them back."""
    shutil.copy(PROGRAMS / "letterbox.py", tmp_path)


@pytest.fixture
def recorded(start_python: StartPython, tmp_path: Path, letterbox: None) -> Callable[..., Recorded]:
    """Run a program, given by its name or as a text."""

    def run(program: str, *arguments: str, name: str = "old.py", doca: str = "2.6") -> Recorded:
        script = tmp_path / name
        if program.endswith(".py"):
            script = Path(shutil.copy(PROGRAMS / program, tmp_path))
        else:
            script.write_text(program)
        finished = start_python(*LAUNCH, "--doca", doca, script.name, *arguments, cwd=tmp_path).finish()
        assert finished.returncode == 0, finished.stderr
        return Recorded(script, tmp_path / "run.json")

    return run
