"""Shapes that rewriters get wrong: each program prints the same after its migration, or has a finding that says why.

What is written is run in every case: where findings leave something to the reader, it still needs the launcher.
"""

from __future__ import annotations

import difflib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from migrate.outcome import FileOutcome, Level
from migrate.rewriting import rewrite_project
from tests.migrate.shapes.shape import SHAPES, Shape

ROOT = Path("/project")  # no such folder: nothing is read


class Runner:
    """A process that runs programs, each in a child of its own."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.migrate.shapes.worker"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._olds: dict[str, str] = {}

    def run(self, files: dict[str, str], *, launched: bool) -> str:
        """What a program prints, and its exit status."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps({"files": files, "launched": launched}), file=self._process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return f"{answer['output']}\n[exits with {answer['status']}]"

    def old(self, shape: Shape) -> str:
        """What the program does before its migration; it runs once."""
        if shape.id not in self._olds:
            self._olds[shape.id] = self.run(shape.files, launched=True)
        return self._olds[shape.id]

    def close(self) -> None:
        """End the process: it reads no more programs."""
        self._process.communicate(timeout=30)


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    runner = Runner()
    yield runner
    runner.close()


def _marks(shape: Shape) -> list[pytest.MarkDecorator]:
    reason = f"{shape.python} is the oldest Python that reads it"
    return [pytest.mark.skipif(sys.version_info < shape.python, reason=reason)]


shapes = pytest.mark.parametrize("shape", [pytest.param(shape, id=shape.id, marks=_marks(shape)) for shape in SHAPES])


def _migrate(shape: Shape) -> tuple[dict[str, str], list[FileOutcome]]:
    """The program with what is written, turn by turn, and every outcome."""
    files = {ROOT / name: text.encode() for name, text in shape.files.items()}
    done: list[FileOutcome] = []
    for turn in shape.turns:
        given = {path: data for path, data in files.items() if str(path.relative_to(ROOT)) in turn}
        rest = {path: data for path, data in files.items() if path not in given}
        outcomes = rewrite_project(given, context=rest)
        files |= {outcome.path: outcome.new for outcome in outcomes}
        done += outcomes
    return {str(path.relative_to(ROOT)): data.decode() for path, data in files.items()}, done


def _left(outcomes: list[FileOutcome]) -> list[str]:
    """What is left to the reader."""
    findings = [finding for outcome in outcomes for finding in outcome.findings if finding.level is not Level.SAFE]
    left = [f"{it.path.name}:{it.span.line}: {it.code} {it.level.value} {it.name}: {it.message}" for it in findings]
    return left + [f"{outcome.path.name}: {outcome.skipped}" for outcome in outcomes if outcome.skipped]


def test_titles_are_unique() -> None:
    ids = [shape.id for shape in SHAPES]
    assert sorted(set(ids)) == sorted(ids)


@shapes
def test_as_it_is(shape: Shape, runner: Runner) -> None:
    """A shape says something, by the old API, and ends as it is marked."""
    assert any("doca_comm_channel" in text for text in shape.files.values())
    output, _, status = runner.old(shape).rpartition("\n[exits with ")
    assert output.strip()
    assert status == f"{shape.status}]", output


@shapes
def test_migrated(shape: Shape, runner: Runner) -> None:
    """Nothing changes in silence; what is written runs as before."""
    new, outcomes = _migrate(shape)
    left = _left(outcomes)
    partly = {name for turn in shape.turns for name in turn} != set(shape.files)
    before, after = runner.old(shape), runner.run(new, launched=bool(left) or partly)
    difference = list(difflib.unified_diff(before.splitlines(), after.splitlines(), "old", "new", lineterm=""))
    assert not difference, "\n".join([*difference, *left, *(f"--- {name}\n{text}" for name, text in new.items())])


@pytest.mark.parametrize("shape", [pytest.param(it, id=it.id, marks=_marks(it)) for it in SHAPES if it.whole])
def test_whole(shape: Shape) -> None:
    _, outcomes = _migrate(shape)
    assert _left(outcomes) == []
    assert any(outcome.changed for outcome in outcomes)
