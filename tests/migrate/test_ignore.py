"""Patterns of .gitignore, against a table and against git itself."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from migrate._ignore import parse
from tests.examples import examples

# patterns, path (a slash at the end: a folder), whether it is left out
TABLE = [
    ("x.py", "x.py", True),
    ("x.py", "a/b/x.py", True),
    ("x.py", "ax.py", False),
    ("/x.py", "a/x.py", False),
    ("a/x.py", "b/a/x.py", False),
    ("gen/", "gen/", True),
    ("gen/", "gen", False),
    ("gen/", "a/gen/", True),
    ("*.py\n!keep.py", "keep.py", False),
    ("!keep.py\n*.py", "keep.py", True),
    ("*.py", "a/x.py", True),
    ("a/*.py", "a/b/x.py", False),
    ("a/**/x.py", "a/x.py", True),
    ("a/**/x.py", "a/b/c/x.py", True),
    ("a/**/b/**/x.py", "a/b/x.py", True),
    ("**/a/x.py", "b/a/x.py", True),
    ("a/**\n!a/keep.py", "a/keep.py", False),
    ("a/**", "a/b/", True),
    ("a**b", "axxb", True),
    ("a/b**c", "a/b/c", False),
    ("?.py", "x.py", True),
    ("a?b", "a/b", False),
    ("[a-c].py", "b.py", True),
    ("[!a-c].py", "b.py", False),
    ("[^a-c].py", "x.py", True),
    ("a[/]b", "a/b", False),
    ("[]x].py", "].py", True),
    ("[[:digit:]].py", "7.py", True),
    ("[x.py", "[x.py", False),
    ("\\[x.py", "[x.py", True),
    ("# note", "# note", False),
    ("\\#x", "#x", True),
    ("\\!x", "!x", True),
    ("x.py   ", "x.py", True),
    ("x\\ ", "x ", True),
    ("x.py\r", "x.py", True),
    ("\ufeffx.py", "x.py", True),
    ("", "x.py", False),
    ("/", "x.py", False),
    ("x\\", "x", False),
    ("[z-a].py", "b.py", False),
    ("a\\*b", "a*b", True),
    ("a\\*b", "axb", False),
]


@pytest.mark.parametrize(("patterns", "path", "left_out"), TABLE)
def test_a_path_is_left_out_or_not(patterns: str, path: str, left_out: bool) -> None:
    ignored = parse("/top", patterns)
    assert bool(ignored.decides(f"/top/{path.rstrip('/')}", path.endswith("/"))) is left_out


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("git"):
        pytest.skip("git, the oracle, is not installed")
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True, timeout=60)
    return folder


def told_by_git(repository: Path, patterns: str, path: str) -> bool:
    (repository / ".gitignore").write_bytes(patterns.encode())
    command = ["git", "-c", "core.excludesFile=", "check-ignore", "--quiet", "--no-index", "-z", "--stdin"]
    return subprocess.run(command, cwd=repository, input=path.encode(), timeout=60).returncode == 0


@pytest.mark.parametrize(("patterns", "path", "left_out"), TABLE)
def test_git_says_so_too(repository: Path, patterns: str, path: str, left_out: bool) -> None:
    assert told_by_git(repository, patterns, path) is left_out


@examples(60)
@given(
    patterns=st.lists(st.text("ab/*?!\\[]-^ #", min_size=1, max_size=6), min_size=1, max_size=3),
    path=st.lists(st.text("ab", min_size=1, max_size=2), min_size=1, max_size=3),
)
def test_patterns_nobody_thought_of_are_read_as_git_reads_them(
    repository: Path, patterns: list[str], path: list[str]
) -> None:
    ignored = parse("/top", "\n".join(patterns))
    steps = ["/".join(path[: length + 1]) for length in range(len(path))]
    here = any(ignored.decides(f"/top/{step}", step != steps[-1]) for step in steps)
    assert here is told_by_git(repository, "\n".join(patterns), steps[-1])
