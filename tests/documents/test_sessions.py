"""The console sessions of the documentation print what they show."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.documents.support import block, checkout, commands, is_shown, shell
from tests.processes import Child

Shell = Callable[[str], Child]

SESSIONS = [
    *(("README.md", title) for title in ("service", "client", "migrate")),
    *(
        ("docs/tutorial.md", title)
        for title in ("devices", "old service", "old client", "diff", "new client", "verify")
    ),
    *(
        ("MIGRATION.md", title)
        for title in (
            *("names", "inventory", "unchanged service", "unchanged client", "diff", "write", "verify", "remove"),
            "evidence",
        )
    ),
    *(("docs/c_programs.md", title) for title in ("build", "C service", "C client")),
    ("docs/commands.md", "explain"),
    ("docs/testing.md", "trace"),
    ("docs/topology.md", "schema"),
]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Shell]:
    """Start a command in a copy of what the documentation uses; what still runs when the test ends is killed."""
    folder = checkout(tmp_path)
    with ExitStack() as children:

        def begin(command: str) -> Child:
            child = shell(command, folder)
            children.callback(child.kill)
            return child

        yield begin


def _run(page: str, title: str, start: Shell) -> None:
    for command, shown in commands(page, title):
        finished = start(command).finish()
        assert (finished.returncode, finished.stderr) == (0, ""), finished
        assert is_shown(shown, finished.stdout.splitlines()), (command, finished.stdout)


def test_a_line_of_dots_stands_for_any_lines() -> None:
    assert is_shown(["a", "...", "d"], ["a", "b", "c", "d"])
    assert is_shown(["a", "..."], ["a"])
    assert not is_shown(["a", "..."], ["b", "a"])
    assert not is_shown(["a"], ["a", "b"])


def _run_pair(page: str, service: str, client: str, start: Shell) -> None:
    """Run two sessions as in two terminals: the last command of the service's beside the client's."""
    *first, (serving, shown) = commands(page, service)
    for command, _ in first:
        start(command).succeed()
    running = start(serving)
    running.wait_for(shown[0] + "\n")
    _run(page, client, start)
    printed = running.succeed()
    assert is_shown(shown, printed.splitlines()), printed


def test_the_quick_start(start: Shell) -> None:
    _run_pair("README.md", "service", "client", start)
    _run("README.md", "migrate", start)


def test_the_tutorial(start: Shell) -> None:
    page = "docs/tutorial.md"
    _run(page, "devices", start)
    _run_pair(page, "old service", "old client", start)
    _run_report(page, "diff", start)
    _run_pair(page, "old service", "new client", start)
    _run(page, "verify", start)


def test_the_ten_minute_path(start: Shell) -> None:
    page = "MIGRATION.md"
    _run(page, "names", start)
    _run_report(page, "inventory", start)
    _run_pair(page, "unchanged service", "unchanged client", start)
    _run_report(page, "diff", start)
    for title in ("write", "verify", "remove"):
        _run(page, title, start)


def test_a_run_as_evidence(start: Shell, tmp_path: Path) -> None:
    (tmp_path / "limits.py").write_text(block("MIGRATION.md", "limits.py"))
    _run("MIGRATION.md", "evidence", start)


def _run_report(page: str, title: str, start: Shell) -> None:
    """Show what would change, which is no success: the exit status is the report's."""
    ((command, shown),) = commands(page, title)
    finished = start(command).finish()
    assert (finished.returncode, finished.stderr) == (1, "")  # rewrites pending
    assert is_shown(shown, finished.stdout.splitlines()), finished.stdout


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="pkg-config is not installed")
def test_c_programs(start: Shell) -> None:
    page = "docs/c_programs.md"
    _run(page, "build", start)
    _run_pair(page, "C service", "C client", start)


def test_where_the_schema_is(start: Shell) -> None:
    ((command, _),) = commands("docs/topology.md", "schema")
    assert Path(start(command).succeed().strip()).is_file()


def test_c_names_in_python(start: Shell) -> None:
    _run("docs/commands.md", "explain", start)


def test_a_trace(start: Shell) -> None:
    service = start("python -m comm_channel_compat run samples_legacy/hello_service.py")
    service.wait_for("listening on hello\n")
    _run("docs/testing.md", "trace", start)
    service.succeed()


@pytest.mark.parametrize(("page", "title"), SESSIONS)
def test_every_session_begins_with_a_command(page: str, title: str) -> None:
    assert all(command.strip() for command, _ in commands(page, title))
