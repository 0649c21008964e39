"""Evidence that does not count: of another text, of lines that did not run, of accounts that are none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from migrate.cli import main
from migrate.outcome import Finding
from migrate.report.run import stays
from tests.evidence.conftest import Recorded
from tests.processes import StartPython

PROGRAM = """\
import sys
import doca_comm_channel as cc
def call(verb, *args):
    return getattr(cc, "doca_comm_channel_ep_" + verb.lower())(*args)
code, end = call("create")
if len(sys.argv) > 1:
    print(getattr(cc, "doca_error_get_" + sys.argv[1])(code))
"""


def left(run: Recorded, *more: Path) -> list[Finding]:
    return [finding for finding in run.migrated(*more).findings if stays(finding) and not finding.because]


def reasons(run: Recorded, *more: Path) -> set[str]:
    return {finding.evidence for finding in left(run, *more)}


def test_a_file_that_has_changed_since(recorded: Callable[..., Recorded]) -> None:
    run = recorded(PROGRAM, "name")
    assert not left(run)
    run.script.write_text(PROGRAM + "\n")
    assert reasons(run) == {"the file has changed since the run of run.json"}


def test_a_file_of_another_program(recorded: Callable[..., Recorded], tmp_path: Path) -> None:
    run = recorded(PROGRAM, "name")
    other = Recorded(tmp_path / "other.py", run.report)
    other.script.write_text("# another\n" + PROGRAM)
    assert reasons(other) == {"there is no run of this file in run.json"}


def test_a_copy_of_the_file_counts(recorded: Callable[..., Recorded], tmp_path: Path) -> None:
    run = recorded(PROGRAM, "name")
    copy = Recorded(tmp_path / "copy.py", run.report)
    copy.script.write_bytes(run.script.read_bytes())
    assert not left(copy)


def test_a_line_that_did_not_run_keeps_what_ran_with_it(recorded: Callable[..., Recorded]) -> None:
    """Names that are computed anywhere keep names in texts; what ran with such a line stays with it."""
    run = recorded(PROGRAM)
    assert any("line 7 did not run" in reason for reason in reasons(run))
    assert b"getattr(cc, " in run.migrated().new


def test_runs_are_joined(recorded: Callable[..., Recorded], tmp_path: Path) -> None:
    first = recorded(PROGRAM)
    earlier = first.report.rename(tmp_path / "first.json")
    second = recorded(PROGRAM, "name")
    outcome = second.migrated(earlier)
    assert not left(second, earlier)
    assert any("run.json, first.json" in finding.evidence for finding in outcome.findings)


def test_a_stale_account_beside_a_fresh_one_takes_nothing_away(
    recorded: Callable[..., Recorded], tmp_path: Path
) -> None:
    stale = recorded("# before\n" + PROGRAM, "name").report.rename(tmp_path / "stale.json")
    fresh = recorded(PROGRAM, "name")
    assert not left(fresh, stale)
    assert not any("stale.json" in finding.evidence for finding in fresh.migrated(stale).findings)


SENT = """\
import doca_comm_channel as cc
import socket
from importlib import import_module
kept = [cc.Endpoint()]
for end in import_module("js" + "on").JSONDecoder(object_hook=lambda _: kept).decode("{}"):
    try:
        end.listen("svc")
    except cc.DocaError as error:
        print(error.code.name)
"""


def test_a_method_that_others_have_shows_nothing(recorded: Callable[..., Recorded]) -> None:
    """An account knows old calls only: a socket may have come there, too."""
    why = "other libraries have methods of these names, and an account has old calls only"
    assert why in reasons(recorded(SENT))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "is not an account of"),
        ("[]", "is not an account of"),
        ('{"version": 2}', "is not an account of"),
        ('{"version": 1}', "is an account of version 1, not 2: run it again"),
        (None, "cannot be read: No such file or directory"),
    ],
)
def test_what_is_no_account(text: str | None, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "old.py").write_text(PROGRAM)
    if text is not None:
        (tmp_path / "run.json").write_text(text)
    assert main(["--evidence", str(tmp_path / "run.json"), str(tmp_path / "old.py")]) == 64
    assert why in capsys.readouterr().err


def test_shim_takes_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "old.py").write_text(PROGRAM)
    assert main(["--mode", "shim", "--evidence", "run.json", str(tmp_path / "old.py")]) == 64


def test_reports_name_the_evidence(
    recorded: Callable[..., Recorded], tmp_path: Path, start_python: StartPython
) -> None:
    recorded(PROGRAM, "name")
    names = ("report.json", "report.sarif", "report.html", "report.txt")
    reports = [part for name in names for part in ("--report", name)]
    finished = start_python("-m", "migrate", "--evidence", "run.json", *reports, "old.py", cwd=tmp_path).finish()
    assert "CCM005 evidence: doca_error_get_name" in finished.stdout
    assert "settled by run.json: 1 name was read here" in finished.stdout
    for name in names:
        assert "settled by run.json" in (tmp_path / name).read_text(), name
    found = json.loads((tmp_path / "report.json").read_text())["files"][0]["findings"]
    marked = {(finding["level"], finding["evidence"]) for finding in found if finding["evidence"]}
    assert marked == {("evidence", "run.json: 1 name was read here")}
    assert {finding["line"] for finding in found if finding["evidence"]} == {4, 7}
    assert finished.returncode == 1


def test_explain_names_the_evidence(
    recorded: Callable[..., Recorded], tmp_path: Path, start_python: StartPython
) -> None:
    run = recorded(PROGRAM, "name")
    explain = ("-m", "migrate", "explain", "--evidence", "run.json", "old.py:4")
    assert "settled by run.json: 1 name was read here" in start_python(*explain, cwd=tmp_path).succeed()
    run.script.write_text(PROGRAM + "\n")
    told = start_python(*explain, cwd=tmp_path).succeed()
    assert "no evidence: the file has changed since the run of run.json" in told
