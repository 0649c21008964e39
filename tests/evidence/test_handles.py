"""Handles that go through code that migrate does not see: what runs show of where they went."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from migrate import Options, rewrite_project
from migrate.evidence.accounts import read
from migrate.outcome import Finding, Level
from migrate.report.run import stays
from tests.evidence.conftest import Recorded

HIDDEN = """\
import importlib
import sys
import doca_comm_channel as cc
box = importlib.import_module("letter" + "box").Box()
def set_up(ep: cc.Endpoint) -> None:
    ep.set_max_msg_size(100)
    {more}
def make() -> cc.Endpoint:
    return cc.Endpoint()
box.put((set_up, make))
up, new = box.take()
up(new())
"""


def causes(run: Recorded) -> list[Finding]:
    return [finding for finding in run.migrated().findings if stays(finding) and not finding.because]


def test_callers_and_callees_that_nobody_sees(recorded: Callable[..., Recorded]) -> None:
    outcome = recorded(HIDDEN.format(more="ep.destroy()")).migrated()
    marked = {(finding.span.line, finding.code) for finding in outcome.findings if finding.level is Level.EVIDENCE}
    assert {(6, "CCM034"), (7, "CCM034"), (10, "CCM033")} <= marked
    assert b"ep.max_msg_size = 100\n    ep.close()" in outcome.new
    assert b"doca_comm_channel" not in outcome.new


def test_a_call_on_it_that_did_not_run(recorded: Callable[..., Recorded]) -> None:
    """All calls on a variable change, or none."""
    run = recorded(HIDDEN.format(more="if len(sys.argv) > 1: ep.destroy()"))
    assert "run.json: line 7 did not run" in {cause.evidence for cause in causes(run)}
    assert b"ep.set_max_msg_size(100)" in run.migrated().new


def test_two_calls_of_one_name_on_a_line(recorded: Callable[..., Recorded]) -> None:
    """Which of them ran, nobody can tell."""
    run = recorded(HIDDEN.format(more="ep.destroy() if len(sys.argv) == 1 else ep.destroy()"))
    assert "line 7 has several such calls" in {cause.evidence for cause in causes(run)}


BORROWED = """\
import importlib
import doca_comm_channel as cc
end = cc.Endpoint()
importlib.import_module("help" + "er").use(end)
end.destroy()
"""


def test_a_handle_that_other_files_used(recorded: Callable[..., Recorded], tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def use(end):\n    end.set_max_msg_size(100)\n")
    (cause,) = causes(recorded(BORROWED))
    assert cause.code == "CCM033"
    assert cause.evidence == "run.json: line 2 of helper.py used it, which migrate does not follow"


def test_a_handle_that_nobody_else_used(recorded: Callable[..., Recorded], tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def use(end):\n    pass\n")
    run = recorded(BORROWED)
    assert not causes(run)
    assert b"end.close()" in run.migrated().new


def test_a_handle_that_another_file_makes(recorded: Callable[..., Recorded], tmp_path: Path) -> None:
    """The line that made it has the name of its file."""
    maker = tmp_path / "maker.py"
    maker.write_text("import doca_comm_channel as cc\ndef make():\n    return cc.Endpoint()\n")
    (tmp_path / "helper.py").write_text("def use(end):\n    pass\n")
    run = recorded(BORROWED.replace("doca_comm_channel as cc", "maker as cc").replace("Endpoint", "make"))
    files = {path: path.read_bytes() for path in (run.script, maker)}
    outcomes = rewrite_project(files, options=Options(evidence=(read(run.report),)))
    found = [finding for outcome in outcomes for finding in outcome.findings]
    (text,) = {finding.evidence for finding in found if finding.code == "CCM033"}
    assert text == "run.json: 1 call on what line 3 of maker.py makes, all in these files"


def test_a_handle_in_an_attribute_is_not_explained(recorded: Callable[..., Recorded]) -> None:
    run = recorded(
        "import importlib\nimport doca_comm_channel as cc\nbox = importlib.import_module('letter' + 'box').Box()\n"
        "box.put(cc.Endpoint())\nclass End: pass\nmine = End()\nmine.end = box.take()\nmine.end.set_max_msg_size(9)\n"
    )
    assert "the handle is not in a variable of a function or file" in {cause.evidence for cause in causes(run)}


def test_a_handle_that_is_only_an_argument_has_a_reason(recorded: Callable[..., Recorded]) -> None:
    run = recorded(
        "import importlib\nimport sys\nimport doca_comm_channel as cc\n"
        "box = importlib.import_module('letter' + 'box').Box()\nbox.put(1)\npeer = box.take()\n"
        "ep = cc.Endpoint()\nif len(sys.argv) > 1:\n    ep.disconnect(peer)\n"
    )
    unseen = {(cause.name, cause.code, cause.evidence) for cause in causes(run)}
    assert ("peer", "CCM034", "run.json: line 9 did not run") in unseen
