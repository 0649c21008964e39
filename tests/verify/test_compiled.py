"""Compiled programs: beside what took their place, old calls seen by the toolkit's own account of them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from migrate.cli import main
from migrate.verify import report
from migrate.verify.peers import Peer, Script
from migrate.verify.rounds import Rounds
from migrate.verify.verdict import Result, Verdict
from tests.verify.accounts import RAN, Acted, remains
from tests.verify.test_endings import RESET, failed
from tools.side_by_side import LEGACY, build_samples

ENDS = ("service", "client")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The C sample, as an old folder."""
    folder = tmp_path_factory.mktemp("compiled")
    build_samples(folder)
    return folder


@pytest.fixture(scope="module")
def successors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python sample, migrated, as a new folder."""
    folder = tmp_path_factory.mktemp("successors")
    scripts = [str(shutil.copy(LEGACY / f"hello_{end}.py", folder)) for end in ENDS]
    assert main(["--write", "--jobs", "1", *scripts]) == 0
    return folder


def arguments(compiled: Path, successors: Path) -> list[str]:
    limits = [f"--{name}=120" for name in ("timeout", "linger", "patience")]
    trees = ["--tree", str(compiled), str(successors)]
    return ["verify", "--no-faults", *limits, *trees, *(f"hello_{end}=hello_{end}.py" for end in ENDS)]


def test_a_compiled_pair_and_its_successor(
    compiled: Path, successors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    status = main(arguments(compiled, successors))
    head = "equivalent: 4 runs, no difference; every call in Python ran, and C programs called 27 old functions\n"
    assert (status, capsys.readouterr().out) == (0, head)


def test_a_wrong_successor(
    compiled: Path, successors: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = Path(shutil.copytree(successors, tmp_path / "wrong"))
    client = wrong / "hello_client.py"
    client.write_text(client.read_text().replace('b"bye"', 'b"bye, then"'))
    capsys.readouterr()
    assert main(arguments(compiled, wrong)) == 1
    text = capsys.readouterr().out
    assert text.startswith("diverged: ")
    assert "    old: 3 bytes b'bye'\n    new: 9 bytes b'bye, then'  [hello_client.py:" in text
    assert re.search(r"  \[hello_client.py:\d+\] ep.send_to\(msg, peer, timeout=0\)\n", text), text


C = Script(Path("program"), is_python=False)
PYTHON = Script(Path("a.py"))
CALLED = frozenset(["create", "send"])


def result_of(peer: Peer, old: frozenset[str] = frozenset(), new: frozenset[str] = frozenset()) -> Result:
    failure = failed(RESET, 7)
    stage = Acted(
        [remains("same", watched=(RAN, failure) if peer.old.is_python else (), compiled=old)],
        [remains("same", watched=(RAN,), compiled=new)],
        calls=(),
    )
    stage.peers = [peer]
    return Rounds(stage, ()).result()


def test_what_proves_that_an_old_program_was_compiled_made_old_calls() -> None:
    result = result_of(Peer("program", C, PYTHON), CALLED)
    assert (result.verdict, result.compiled) == (Verdict.EQUIVALENT, ("create", "send"))
    assert result_of(Peer("program", C, PYTHON)).reasons == ("the old side made no call of the old API in any run",)


def test_a_compiled_program_in_the_new_place_makes_none() -> None:
    result = result_of(Peer("program", C, replace_path(C)), CALLED, CALLED)
    assert result.reasons == ("the new side calls create, send",)
    assert result_of(Peer("program", C, replace_path(C)), CALLED).verdict is Verdict.EQUIVALENT


def replace_path(script: Script) -> Script:
    return script._replace(path=Path("successor"))


def test_results_count_where_both_sides_show_them() -> None:
    assert "results" in report.text(result_of(Peer("program", PYTHON, PYTHON)))
    assert "results" not in report.text(result_of(Peer("program", PYTHON, C)))
