"""The demonstration shows both transcripts and ends with 1 when they differ."""

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from tests.processes import StartPython
from tools.demo import main, show_sample
from tools.side_by_side import MODERN, PairOutcome, Stage, Transcript, differences


def test_it_runs_without_a_terminal(start_python: StartPython) -> None:
    finished = start_python("-m", "tools.demo").finish()
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert finished.stdout.splitlines()[-1].startswith("same transcripts")
    assert len(finished.stdout.splitlines()) <= 40  # one screen
    assert "\x1b" not in finished.stdout


def test_a_difference_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The place of the rewritten pair is taken by one that says goodbye in other words."""
    for script in MODERN.glob("hello_*.py"):
        shutil.copy(script, tmp_path)
    client = tmp_path / "hello_client.py"
    client.write_text(client.read_text().replace('b"bye"', 'b"goodbye"'))
    stage = Stage(tmp_path, b"", migrated=tmp_path)
    assert not show_sample(Console(width=100, file=sys.stdout), "hello", stage, stage)
    shown = capsys.readouterr().out
    assert "client: messages were" in shown
    assert "service: statistics were" in shown


def test_the_exit_status_tells_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    for same, status in ((True, 0), (False, 1)):
        monkeypatch.setattr("tools.demo.run", lambda console, folder, same=same: same)
        assert main() == status


TOLD = Transcript({"1": ("sent 1 bytes aa",)}, {"1": "sent 1"}, ("DOCA_SUCCESS",), 0, "", "")


@pytest.mark.parametrize(
    "changed",
    [
        replace(TOLD, messages={"1": ("sent 1 bytes bb",)}),
        replace(TOLD, messages={"2": ("sent 1 bytes aa",)}),
        replace(TOLD, statistics={"1": "sent 2"}),
        replace(TOLD, results=()),
        replace(TOLD, exit_status=1),
    ],
)
def test_every_fact_counts(changed: Transcript) -> None:
    assert differences(PairOutcome(TOLD, TOLD), PairOutcome(TOLD, TOLD)) == []
    assert len(differences(PairOutcome(TOLD, TOLD), PairOutcome(changed, TOLD))) == 1
    assert len(differences(PairOutcome(TOLD, TOLD, b"a", b"a"), PairOutcome(TOLD, changed, b"a"))) == 2


def test_failures_that_look_alike_are_no_success() -> None:
    crashed = replace(TOLD, messages={}, statistics={}, results=(), exit_status=1, errors="Traceback")
    assert PairOutcome(TOLD, TOLD).failures() == []
    assert len(PairOutcome(crashed, crashed).failures()) == 2
    assert "Traceback" in PairOutcome(TOLD, crashed).failures()[0]
    assert PairOutcome(replace(TOLD, messages={}), TOLD).failures() != []
    assert PairOutcome(TOLD, TOLD, b"a").failures() != []
