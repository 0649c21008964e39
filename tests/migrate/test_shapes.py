"""Shapes that rewriters get wrong: each program prints the same after its migration.

Where findings leave something to the reader, the program still needs the launcher.
"""

from __future__ import annotations

import difflib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from migrate.outcome import FileOutcome, Level
from migrate.rewriting import rewrite_project
from tests.migrate.runner import Runner
from tests.migrate.shapes.shape import SHAPES, Shape

ROOT = Path("/project")  # no such folder: nothing is read


@dataclass(frozen=True)
class Migrated:
    """A program after its migration: its files, what is left to the reader, whether anything was written."""

    files: dict[str, bytes]
    left: list[str]
    changed: bool


def _migrate(shape: Shape) -> Migrated:
    """Migrate the files, turn by turn; those of other turns lie beside them."""
    files = {ROOT / name: data for name, data in shape.files.items()}
    done: list[FileOutcome] = []
    for turn in shape.turns:
        given = {path: data for path, data in files.items() if str(path.relative_to(ROOT)) in turn}
        rest = {path: data for path, data in files.items() if path not in given}
        outcomes = rewrite_project(given, context=rest)
        files |= {outcome.path: outcome.new for outcome in outcomes}
        done += outcomes
    new = {str(path.relative_to(ROOT)): data for path, data in files.items()}
    return Migrated(new, _left(done), new != shape.files)


def _left(outcomes: list[FileOutcome]) -> list[str]:
    """What is left to the reader."""
    findings = [finding for outcome in outcomes for finding in outcome.findings if finding.level is not Level.SAFE]
    left = [f"{it.path.name}:{it.span.line}: {it.code} {it.level.value} {it.name}: {it.message}" for it in findings]
    return left + [f"{outcome.path.name}: {outcome.skipped}" for outcome in outcomes if outcome.skipped]


def _param(shape: Shape) -> Any:
    reason = "needs Python " + ".".join(map(str, shape.python))
    return pytest.param(shape, id=shape.id, marks=pytest.mark.skipif(sys.version_info < shape.python, reason=reason))


def test_titles_are_unique() -> None:
    ids = [shape.id for shape in SHAPES]
    assert sorted(set(ids)) == sorted(ids)


@pytest.mark.parametrize("shape", [_param(shape) for shape in SHAPES])
def test_nothing_changes(shape: Shape, runner: Runner) -> None:
    """A finding is no excuse: what flows into old code stays old. A shape that is marked whole has none."""
    assert any(b"doca_comm_channel" in data for data in shape.files.values())
    old = runner.run(shape.files, launched=True)
    output, _, status = old.rpartition("\n[exits with ")
    assert output.strip()
    assert status == f"{shape.status}]", output
    new = _migrate(shape)
    given = {name for turn in shape.turns for name in turn}
    after = runner.run(new.files, launched=bool(new.left) or given != set(shape.files))
    lines = difflib.unified_diff(old.splitlines(), after.splitlines(), "old", "new", lineterm="")
    texts = [f"--- {name}\n{data.decode(errors='replace')}" for name, data in new.files.items()]
    assert old == after, "\n".join([*lines, *new.left, *texts])
    if shape.whole:
        assert new.left == []
        assert new.changed
