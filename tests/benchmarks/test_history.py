"""The runs of several commits: each is kept once, and together they show a trend."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import __main__ as program
from benchmarks import _history
from benchmarks.__main__ import keep, main
from tests.benchmarks.made_up import content, findings
from tests.benchmarks.test_pictures import SPACE, drawn, words_of


def test_two_commits_show_a_trend(tmp_path: Path) -> None:
    folder = tmp_path / "bench-history"
    newer, older = content(number=1, day=9), content(number=2, day=8, slow="compat flat")
    assert keep(folder, newer) == [folder / "000000000000.json"]
    assert not folder.with_suffix(".svg").exists()
    assert keep(folder, older | {"commit": older["commit"] | {"id": "f" * 40}})[1:] == [tmp_path / "bench-history.svg"]
    root = drawn((tmp_path / "bench-history.svg").read_text(encoding="utf-8"))
    words = words_of(root)
    assert words["Commits: ffffffff, 00000000"] == 1
    assert [words[target["name"]] for target in newer["targets"]] == [1] * len(newer["targets"])
    lines = [line.attrib["points"].split() for line in root.iter(f"{SPACE}polyline")]
    assert len(lines) == len(newer["targets"])
    assert {len(line) for line in lines} == {2}
    levels = {
        target["name"]: [float(point.split(",")[1]) for point in line]
        for target, line in zip(newer["targets"], lines, strict=True)
    }
    before, now = levels["round trip 64 B: compat flat / raw seqpacket"]
    assert before < now  # it took longer, and so was higher
    before, now = levels["round trip 64 B: compat objects / raw seqpacket"]
    assert before == now


@pytest.mark.parametrize(("options", "kept"), [((), ["000000000000.json"]), (("--quick",), [])])
def test_a_full_run_is_kept_beside_its_file(
    options: tuple[str, ...], kept: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrate = dict.fromkeys(("tree_s", "prefilter_s", "libcst_s", "program_lines_per_s", "file_s"), 1.0)
    monkeypatch.setattr(program, "run", lambda *_: replace(findings(), migrate=migrate))
    monkeypatch.setattr(_history, "commit", lambda _: content()["commit"])
    assert main([*options, "--output", str(tmp_path / "speed.json")]) == 0
    assert [path.name for path in tmp_path.glob("speed-history/*")] == kept
    root = drawn((tmp_path / "speed.svg").read_text(encoding="utf-8"))
    assert words_of(root)["migrate: 1 000 000 lines, s"] == 1


def test_a_commit_is_kept_once(tmp_path: Path) -> None:
    for load in (1, 2):
        _history.keep(tmp_path, content() | {"idle_share": load})
    changed = content() | {"commit": content()["commit"] | {"changed": True}}
    _history.keep(tmp_path, changed)
    runs = _history.load(tmp_path)
    assert [(run["idle_share"], run["commit"]["changed"]) for run in runs] == [(2, False), (0.0, True)]


def test_other_machines_are_not_compared() -> None:
    elsewhere = content(day=1) | {"machine": content()["machine"] | {"processor": "another one"}}
    first, last = content(day=2), content(day=3)
    assert _history.comparable([elsewhere, first, last]) == [first, last]


def test_a_target_that_an_older_run_had_not_begins_later(tmp_path: Path) -> None:
    older, newer = content(day=1), content(day=2)
    name = older["targets"][0]["name"]
    older["targets"] = older["targets"][1:]
    older["targets"][0] |= {"value": None}
    root = drawn(_history.trend([older, newer]))
    lengths = [len(line.attrib["points"].split()) for line in root.iter(f"{SPACE}polyline")]
    assert words_of(root)[name] == 1
    assert lengths[:3] == [1, 1, 2]


def test_without_a_commit_nothing_is_kept(tmp_path: Path) -> None:
    assert _history.commit(tmp_path) is None
    assert keep(tmp_path / "bench-history", content() | {"commit": None}) == []
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_a_commit_is_what_is_checked_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "nobody")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "nobody@example.org")
        monkeypatch.setenv(f"GIT_{role}_DATE", "2026-01-02T03:04:05+00:00")

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "--quiet")
    (tmp_path / "file").write_text("one")
    git("add", "file")
    git("commit", "--quiet", "--message", "one")
    expected = {"id": git("rev-parse", "HEAD"), "date": "2026-01-02T03:04:05+00:00"}
    assert _history.commit(tmp_path) == expected | {"changed": False}
    (tmp_path / "file").write_text("two")
    assert _history.commit(tmp_path) == expected | {"changed": True}
