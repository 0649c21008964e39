"""What the command does with files: exit bits, what is written, what is read around them, in how many processes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from migrate import _jobs, _options
from migrate.cli import Exit, main
from tests.migrate.fake_command import FRONT_COMMAND, install
from tests.processes import SOON_S, StartPython

PENDING = "import doca_comm_channel as cc\n"
DONE = "import comch_next as cc\n"
MANUAL = "import doca_comm_channel as cc\nuse(ep)  # manual\nuse(ep)  # follows\nuse(ep)  # follows\n"

Tree = Callable[..., Path]


@pytest.fixture(autouse=True)
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "migrate.rewriting", install())
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    def make(**files: str) -> Path:
        for name, text in files.items():
            path = tmp_path / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return make


def test_the_report_changes_nothing(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    top = tree(x=PENDING)
    assert main(["x.py"]) == Exit.PENDING
    assert (top / "x.py").read_text() == PENDING
    assert capsys.readouterr().out.splitlines() == [
        "x.py: 1 reference would be rewritten, none need you",
        "1 file uses the old API: 1 reference would be rewritten, none need you",
    ]


def test_several_reports_by_their_suffixes(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    top = tree(x=PENDING)
    assert main(["--check", "x.py", "--report", "r.json", "--report", "r.html", "--report", "r.txt"]) == Exit.PENDING
    shown = capsys.readouterr().out
    assert shown == "1 file uses the old API: 1 reference would be rewritten, none need you\n"
    assert json.loads((top / "r.json").read_text())["summary"]
    assert (top / "r.html").read_text().startswith("<!DOCTYPE html>")
    assert (top / "r.txt").read_text().endswith(shown)
    assert main(["x.py", "--report", "none/r.json"]) == Exit.PENDING | Exit.FILES
    assert "cannot be written" in capsys.readouterr().err
    assert main(["x.py", "--report", "r.doc"]) == 64
    assert "--report r.doc: the suffix is not one of" in capsys.readouterr().err


def test_check_is_the_last_line(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    tree(x=PENDING, y=MANUAL)
    assert main(["--check", "."]) == Exit.PENDING | Exit.MANUAL
    assert capsys.readouterr().out == (
        "2 files use the old API: 2 references would be rewritten, 1 needs you (2 more depend on what needs you)\n"
    )


def test_diff_shows_the_changes_and_the_findings(tree: Tree, capfd: pytest.CaptureFixture[str]) -> None:
    tree(x=MANUAL)
    assert main(["--diff", "x.py"]) == Exit.PENDING | Exit.MANUAL
    out = capfd.readouterr().out
    assert out.startswith("--- a/x.py\n+++ b/x.py\n@@")
    assert "-import doca_comm_channel as cc\n+import comch_next as cc\n" in out
    assert "x.py:2: CCM033 ep: the reason of CCM033" in out


def test_write_is_clean_and_the_second_run_idle(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    top = tree(x=PENDING)
    assert main(["--write", "x.py"]) == Exit.CLEAN
    assert (top / "x.py").read_text() == DONE
    assert "1 file used the old API: 1 reference was rewritten" in capsys.readouterr().out
    assert main(["--write", "x.py"]) == Exit.CLEAN
    assert capsys.readouterr().out == "nothing uses the old API\n"


def test_manual_work_stays(tree: Tree) -> None:
    tree(x=MANUAL)
    assert main(["--write", "x.py"]) == Exit.MANUAL


def test_evidence_is_needed_without_unsafe(tree: Tree) -> None:
    tree(x="use(DOCA_SUCCESS)  # evidence\n")
    assert main(["x.py"]) == Exit.MANUAL
    assert main(["--unsafe", "x.py"]) == Exit.CLEAN


def test_consequences_are_counted_below_their_cause(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    tree(a=MANUAL, b="import a  # doca_\nuse(ep)  # follows\n")
    main(["."])
    assert capsys.readouterr().out.splitlines() == [
        "a.py: 1 reference would be rewritten, 1 needs you (2 more depend on what needs you)",
        "  a.py:2: CCM033 ep: the reason of CCM033",
        "  2 references not rewritten because a.py:2 (CCM033) was not: lines 3-4",
        "b.py: no references would be rewritten, none need you (1 more depends on what needs you)",
        "  1 reference not rewritten because a.py:2 (CCM033) was not: line 2",
        "2 files use the old API: 1 reference would be rewritten, 1 needs you (3 more depend on what needs you)",
        "python -m migrate explain CCM003 CCM033 describes these codes",
    ]


def test_others_go_on_after_a_file_that_cannot_be_handled(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    top = tree(a=PENDING + "# unreadable\n", b=PENDING, c=PENDING + "# boom\n")
    assert main(["--write", ".", "missing.py"]) == Exit.FILES | Exit.INTERNAL
    assert (top / "b.py").read_text() == DONE
    errors = capsys.readouterr().err
    assert "a.py: error: CCM001: " in errors
    assert "missing.py: error: cannot be read" in errors
    assert "c.py: error: internal error" in errors
    assert "RuntimeError: on purpose" in errors


def test_the_end_of_a_process_is_an_internal_error(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    top = tree(a=PENDING + "# die\n", b=PENDING, c=PENDING)
    assert main(["--write", "--jobs", "2", "."]) == Exit.INTERNAL
    assert (top / "b.py").read_text() == (top / "c.py").read_text() == DONE
    assert "a.py: error: internal error" in capsys.readouterr().err


def test_a_process_that_has_grown_is_replaced(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    processes = []

    class Worker(_jobs._Worker):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            processes.append(self.process)

    monkeypatch.setattr(_jobs, "_Worker", Worker)
    monkeypatch.setattr(_jobs, "GROWN_BYTES", 2 * len(PENDING) - 1)
    top = tree(a=PENDING, b=PENDING, c=PENDING, d=PENDING, e=PENDING)
    assert main(["--write", "--jobs", "1", "."]) == Exit.CLEAN
    assert {path.read_text() for path in top.iterdir()} == {DONE}
    assert len({process.pid for process in processes}) == 3
    assert not any(process.is_alive() for process in processes)


def test_the_rest_of_the_project_is_read_and_never_written(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    top = tree(setup="", lib__chan=PENDING, app="import lib.chan\nlib.chan.cc\n", other="x = 1\n")
    assert main(["--write", "lib"]) == Exit.CLEAN
    assert (top / "app.py").read_text() == "import lib.chan\nlib.chan.cc\n"
    assert main(["--format", "json", "app.py"]) == Exit.CLEAN
    tree(lib__chan=PENDING)
    capsys.readouterr()
    assert main(["--write", "--format", "json", "app.py"]) == Exit.CLEAN
    found = json.loads(capsys.readouterr().out)["files"]
    assert [finding["name"] for finding in found[0]["findings"]] == ["chan.py"]
    assert (top / "lib/chan.py").read_text() == PENDING


def test_what_cannot_be_read_around_the_files_is_a_warning(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tree(setup="", lib__chan=PENDING, inner__x="", lib__shut__y="")
    scan = os.scandir

    def refused(folder: str) -> object:
        if str(folder).endswith(("inner", "shut")):
            raise PermissionError(13, "Permission denied")
        return scan(folder)

    monkeypatch.setattr(os, "scandir", refused)
    assert main(["lib"]) == Exit.PENDING | Exit.FILES
    assert capsys.readouterr().err.splitlines() == [
        "inner: warning: cannot be read: Permission denied",
        "lib/shut: error: cannot be read: Permission denied",
    ]


def test_excluded_files_are_read_and_never_written(tree: Tree, tmp_path: Path) -> None:
    top = tree(a="import legacy.b\nuse(DOCA_SUCCESS)\n", legacy__b=PENDING, legacy__c=PENDING)
    assert main(["--write", "--exclude", "legacy/", "."]) == Exit.CLEAN
    assert (top / "legacy/b.py").read_text() == PENDING
    (tmp_path / "pyproject.toml").write_text("[tool.migrate]\nexclude = ['b.py']\n")
    assert main(["--write", "."]) == Exit.CLEAN
    assert (top / "legacy/b.py").read_text() == PENDING
    assert (top / "legacy/c.py").read_text() == DONE
    assert main(["--write", "legacy/b.py"]) == Exit.CLEAN  # given by its name
    assert (top / "legacy/b.py").read_text() == DONE


def test_what_is_ignored_is_looked_at_when_asked_for(tree: Tree, tmp_path: Path) -> None:
    tree(x=PENDING)
    (tmp_path / ".gitignore").write_text("x.py\n")
    assert main(["."]) == Exit.CLEAN
    assert main(["--no-ignore", "."]) == Exit.PENDING


def test_files_that_imports_connect_are_written_together(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    top = tree(a=PENDING + "import b\n", b=PENDING, c=PENDING)
    os.link(top / "b.py", top / "b.txt")
    assert main(["--write", "."]) == Exit.FILES | Exit.PENDING
    assert (top / "a.py").read_text() == PENDING + "import b\n"
    assert (top / "c.py").read_text() == DONE
    errors = capsys.readouterr().err
    assert "b.py: error: has hard links" in errors
    assert "a.py: warning: is left as it was, because imports connect it with b.py" in errors
    assert sorted(path.name for path in top.iterdir()) == ["a.py", "b.py", "b.txt", "c.py"]


@pytest.mark.parametrize(
    "arguments",
    [[], ["--what", "x.py"], ["--diff", "--write", "x.py"], ["verify", "x"], ["--mode", "shim", "--unsafe", "x.py"],
     ["--mode", "x", "x.py"], ["explain"], ["explain", "CCM999"], ["--jobs", "0", "x.py"], ["-", "x.py"],
     ["--diff", "--format", "json", "x.py"], ["--format", "xml", "x.py"]],
)  # fmt: skip
def test_wrong_usage_is_64(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = main(arguments)
    except SystemExit as leave:
        status = int(str(leave.code))
    assert status == _options.USAGE
    assert capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("unsave = true", "has no key unsave"),
        ("jobs = 0", "jobs in [tool.migrate] must be a number above 0"),
        ("unsafe = 1", "unsafe in [tool.migrate] must be true or false"),
        ("exclude = 'x'", "exclude in [tool.migrate] must be a list of texts"),
        ("width = true", "width in [tool.migrate] must be a number above 0"),
        ("=", "pyproject.toml: "),
    ],
)
def test_wrong_settings_are_usage_errors(
    tree: Tree, text: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree(x=PENDING) / "pyproject.toml").write_text(f"[tool.migrate]\n{text}\n")
    assert main(["x.py"]) == _options.USAGE
    assert complaint in capsys.readouterr().err


def test_settings_hold_unless_an_option_says_otherwise(tree: Tree) -> None:
    top = tree(inner__x="use(DOCA_SUCCESS)  # evidence\n")
    (top / "pyproject.toml").write_text("[tool.migrate]\nunsafe = true\nwidth = 100\njobs = 1\n")
    settings = _options.read_options(["inner/x.py"])
    assert (settings.rewriting.unsafe, settings.rewriting.width, settings.jobs) == (True, 100, 1)
    assert main(["inner/x.py"]) == Exit.CLEAN
    assert main(["--no-unsafe", "inner/x.py"]) == Exit.MANUAL


def test_any_number_of_processes_and_any_hash_seed_give_the_same(tree: Tree, start_python: StartPython) -> None:
    files = {f"f{number}": PENDING + f"import f{number ^ 1}\nuse(ep)  # manual\n# {number}\n" for number in range(24)}
    top = tree(**files, g="# doca_\nuse(ep)  # noted\n")
    seen = set()
    for jobs in ("1", "2", "5"):
        for seed in ("0", "1", "2"):
            child = start_python(
                FRONT_COMMAND,
                "--diff",
                "--jobs",
                jobs,
                ".",
                cwd=top,
                env={"PYTHONHASHSEED": seed},
                deadline_s=2 * SOON_S,
            )
            seen.add(child.finish())
    assert len(seen) == 1
    assert seen.pop().returncode == Exit.PENDING | Exit.MANUAL


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leave:
        main(["--version"])
    assert leave.value.code == 0
    assert capsys.readouterr().out.startswith("migrate 0.")
