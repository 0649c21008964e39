"""Every old program of the tree, verified: its verdict stands in verdicts.txt."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pull.support import FORMS
from tests.verify.cases import CASES, GUESTS, OTHERS, PROGRAMS, SAMPLES, SENT, End
from tests.verify.table import VERDICTS, verified

BOTH_NEW = ((True, True),)

OLD_LIBRARY = re.compile(r"\blibdoca_(comm_channel|cc|common)\b|^doca_(comm_channel|cc|common)$")
OLD_NAMES = {"doca_comm_channel", "doca_cc"}

pytestmark = pytest.mark.usefixtures("forked")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_as_users_write_it(tmp_path: Path, runtime_dir: Path, name: str) -> None:
    """As it is, migrated, and one end of each, it prints what stands beside it."""
    case = PROGRAMS[name]
    sides = case.migrated(tmp_path)
    assert bool(list(old_imports(sides.new))) == bool(sides.stays), sides.stays
    for new, ends in verified(f"programs/{name}", sides, runtime_dir).runs:
        assert ends == case.ends(), new


@pytest.mark.parametrize("name", GUESTS)
def test_a_guest_of_the_c_library(tmp_path: Path, runtime_dir: Path, name: str) -> None:
    """It prints what its documents promise; its transcript was written before it ran."""
    case = GUESTS[name]
    pairings = [(True,) * len(case.commands)]
    for new, ends in verified(f"guests/{name}", case.migrated(tmp_path), runtime_dir, pairings).runs:
        assert ends == case.ends(), new


FORMED = [(name, form) for name in SAMPLES for form in (FORMS if "/" not in name and "cc_" not in name else FORMS[:1])]


@pytest.mark.parametrize(("name", "form"), FORMED)
def test_a_sample(tmp_path: Path, runtime_dir: Path, monkeypatch: pytest.MonkeyPatch, name: str, form: str) -> None:
    """Equal failures prove nothing: it ends well, and what it transfers arrives whole."""
    monkeypatch.setenv("COMCH_PULL", form)
    sides = SAMPLES[name].migrated(tmp_path)
    stage = verified(f"samples/{name}", sides, runtime_dir, BOTH_NEW if sides.stays else ())
    for _, ends in stage.runs:
        for end in ends:
            assert (end.status, end.output.splitlines()[-1]) == (0, "result DOCA_SUCCESS"), end
    assert stage.received == [SENT.read_bytes()] * ("file_transfer" in name) * len(stage.runs)


@pytest.mark.parametrize("name", OTHERS)
def test_a_program_of_other_tests(tmp_path: Path, runtime_dir: Path, name: str) -> None:
    case = OTHERS[name]
    stage = verified(f"others/{name}", case.migrated(tmp_path), runtime_dir)
    assert all(end.output for _, ends in stage.runs for end in ends)


def test_the_table_has_every_program() -> None:
    assert list(VERDICTS) == sorted(CASES)
    assert [sum(name.startswith(spelling) for name in GUESTS) for spelling in ("cffi/", "ctypes/")] == [11, 11]
    of_cc = [case.folder for name, case in PROGRAMS.items() if name.startswith("cc_")]
    flat = [folder for folder in of_cc if any("doca_cc_" in path.read_text() for path in folder.rglob("*.py"))]
    assert (len(flat), len(of_cc) - len(flat)) == (11, 10)


def old_imports(folder: Path) -> Iterator[str]:
    """Name the imports of the old API, and the names of its C libraries, with their files."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if (isinstance(node, ast.stmt) and not OLD_NAMES.isdisjoint(_imported(node))) or (
                isinstance(node, ast.Constant) and OLD_LIBRARY.search(str(node.value))
            ):
                yield f"{path.name}:{node.lineno}"


def _imported(statement: ast.stmt) -> list[str | None]:
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    return [statement.module] if isinstance(statement, ast.ImportFrom) else []


def test_old_imports_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import sys, doca_comm_channel as cc\nprint('import doca_comm_channel')\n")
    (tmp_path / "b.py").write_text("def f():\n    from doca_comm_channel import Again\n")
    assert list(old_imports(tmp_path)) == ["a.py:1", "b.py:2"]


def test_transcripts_of_both_ends() -> None:
    assert PROGRAMS["late_service"].ends()[1] == End(
        "service.py", "up: DOCA_SUCCESS\n" + "".join(f"request {n} of a new peer\n" for n in range(3)), 0
    )
    assert PROGRAMS["chat_tool"].commands == ("tool.py -l", "tool.py")
