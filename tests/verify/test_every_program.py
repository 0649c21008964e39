"""Every old program of the tree, verified: its verdict stands in verdicts.txt."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from migrate.verify import report
from migrate.verify.peers import Peer
from migrate.verify.rounds import Rounds
from migrate.verify.stage import Remains, Stage
from migrate.verify.trees import Trees
from migrate.verify.verdict import Result, Verdict
from tests.pull.support import FORMS
from tests.verify.cases import CASES, GUESTS, OTHERS, PROGRAMS, RECEIVED, SAMPLES, SENT, End

TABLE = Path(__file__).with_name("verdicts.txt")
VERDICTS = dict(line.split(": ", 1) for line in TABLE.read_text().splitlines())
# Words of the table. A program that is refused has the codes of what stays old instead.
EQUIVALENT, WHERE_IT_RAN, VARIES = WORDS = ("equivalent", "equivalent where it ran", "varies from run to run")
TIMED = "prints the same"
BOTH_NEW = ((True, True),)
# What a program does only when it has to wait: for room to send in, for a task, for its client.
HURDLES = ",".join((*(f"again:{kind}@2x3" for kind in ("send", "task", "producer")), "delay:service@1=0.2s"))

OLD_LIBRARY = re.compile(r"\blibdoca_(comm_channel|cc|common)\b|^doca_(comm_channel|cc|common)$")
OLD_NAMES = {"doca_comm_channel", "doca_cc"}

pytestmark = pytest.mark.usefixtures("forked")


class Heard:
    """A stage that keeps what the ends of each run printed, and which files they left."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self.runs: list[tuple[tuple[bool, ...], list[End]]] = []
        self.received: list[bytes] = []

    @property
    def trees(self) -> Trees:
        return self._stage.trees

    @property
    def peers(self) -> Sequence[Peer]:
        return self._stage.peers

    def run(self, name: str, new: Sequence[bool], faults: str = "", held: int | None = None) -> list[Remains]:
        remains = self._stage.run(name, new, faults, held)
        ends = []
        for peer, left in zip(self.peers, remains, strict=True):
            print(left.stderr, file=sys.stderr)
            command = " ".join([str(peer.old.path), *peer.arguments])
            ends.append(End(command, left.stdout, int(left.status)))
        self.runs.append((tuple(new), ends))
        if (file := self._stage.home / RECEIVED).exists():
            self.received.append(file.read_bytes())
            file.unlink()
        return remains


def _check(name: str, result: Result) -> None:
    """Compare a result with the table."""
    verdict, shown = VERDICTS[name], report.text(result)
    if verdict == TIMED:  # how often its pool of tasks is empty, which only Python's calls tell: its caller compares
        assert not result.stays, shown
        return
    assert result.verdict is not Verdict.DIVERGED, shown
    codes = " ".join(sorted({stays.code for stays in result.stays}))
    assert codes == ("" if verdict in WORDS else verdict), shown
    assert verdict == VARIES or not result.divergences, shown
    assert verdict != EQUIVALENT or result.verdict is Verdict.EQUIVALENT, shown
    assert verdict not in WORDS or not result.reasons, shown


def _verified(name: str, sides: Trees, home: Path, pairings: Sequence[tuple[bool, ...]] = ()) -> Heard:
    """Verify a program, compare the verdict, and return what was printed.

    A call that is made after a wait only may not be made on its own: then hurdles are put up.
    """
    stage = Heard(CASES[name].stage(sides, home))
    result = Rounds(stage, pairings=pairings, faults=()).result()
    if VERDICTS[name] == EQUIVALENT and result.never_ran:
        result = Rounds(stage, pairings=pairings, faults=[HURDLES]).result()
    _check(name, result)
    return stage


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_as_users_write_it(tmp_path: Path, runtime_dir: Path, name: str) -> None:
    """As it is, migrated, and one end of each, it prints what stands beside it."""
    case = PROGRAMS[name]
    sides = case.migrated(tmp_path)
    assert bool(list(old_imports(sides.new))) == bool(sides.stays), sides.stays
    for new, ends in _verified(f"programs/{name}", sides, runtime_dir).runs:
        assert ends == case.ends(), new


@pytest.mark.parametrize("name", GUESTS)
def test_a_guest_of_the_c_library(tmp_path: Path, runtime_dir: Path, name: str) -> None:
    """It prints what its documents promise; its transcript was written before it ran."""
    case = GUESTS[name]
    pairings = [(True,) * len(case.commands)]
    for new, ends in _verified(f"guests/{name}", case.migrated(tmp_path), runtime_dir, pairings).runs:
        assert ends == case.ends(), new


FORMED = [(name, form) for name in SAMPLES for form in (FORMS if "/" not in name and "cc_" not in name else FORMS[:1])]


@pytest.mark.parametrize(("name", "form"), FORMED)
def test_a_sample(tmp_path: Path, runtime_dir: Path, monkeypatch: pytest.MonkeyPatch, name: str, form: str) -> None:
    """Equal failures prove nothing: it ends well, and what it transfers arrives whole."""
    monkeypatch.setenv("COMCH_PULL", form)
    sides = SAMPLES[name].migrated(tmp_path)
    stage = _verified(f"samples/{name}", sides, runtime_dir, BOTH_NEW if sides.stays else ())
    for _, ends in stage.runs:
        for end in ends:
            assert (end.status, end.output.splitlines()[-1]) == (0, "result DOCA_SUCCESS"), end
    assert stage.received == [SENT.read_bytes()] * ("file_transfer" in name) * len(stage.runs)


@pytest.mark.parametrize("name", OTHERS)
def test_a_program_of_other_tests(tmp_path: Path, runtime_dir: Path, name: str) -> None:
    case = OTHERS[name]
    stage = _verified(f"others/{name}", case.migrated(tmp_path), runtime_dir)
    assert all(end.output for _, ends in stage.runs for end in ends)


def test_the_table_has_every_program() -> None:
    assert list(VERDICTS) == sorted(CASES)
    assert [sum(name.startswith(spelling) for name in GUESTS) for spelling in ("cffi/", "ctypes/")] == [11, 11]


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
