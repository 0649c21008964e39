"""The report on a terminal: a tree for each cause, notes by code, a table of what is left."""

from __future__ import annotations

import io

import pytest

from migrate.outcome import FileOutcome, Level
from migrate.report import terminal
from migrate.report.run import Run
from tests.migrate.test_reports import BASE, CAUSE, RUN, A, finding


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


def shown(run: Run) -> list[str]:
    return [line.rstrip() for line in terminal.text(run, io.StringIO()).splitlines()]


def test_what_waits_hangs_on_its_cause() -> None:
    assert shown(RUN) == [
        "a b.py:3 CCM033 ep<b>: about CCM033 & <i>",
        "├── a b.py: 2 references waiting, lines 5-6",
        "└── ä<script>.py: 1 reference waiting, line 1",
        "a b.py:7 CCM083 ep<b>: about CCM083 & <i>",
        "CCM061 note: connections end as generation 1 saw it: 1 place in 1 file",
        "file          rewritten  need you  wait",
        "a b.py                1         2     2",
        "ä<script>.py          0         0     1",
        "all files             1         2     3",
        "2 files used the old API: 1 reference was rewritten, 2 need you (3 more depend on what needs you); 1 error",
        "python -m migrate explain CCM003 CCM033 CCM061 CCM083 describes these codes",
    ]


def test_nothing_has_no_table() -> None:
    assert shown(Run(BASE)) == ["nothing uses the old API"]


def test_what_a_terminal_would_act_on_is_shown() -> None:
    hostile = finding(BASE / "\x1b[31m[red].py", CAUSE, "CCM033", Level.MANUAL)._replace(message="\x1b]0;:smile: \r")
    text = terminal.text(Run(BASE, (FileOutcome(hostile.path, b"", b"", (hostile,)),)), io.StringIO())
    assert not {"\x1b", "\r"} & {*text}
    assert "\\x1b[31m[red].py:3 CCM033 ep<b>: \\x1b]0;:smile: \\r" in text


def test_the_lines_of_a_narrow_terminal_are_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    wanted = finding(A, CAUSE, "CCM033", Level.MANUAL)._replace(message="word " * 40)
    lines = shown(Run(BASE, (FileOutcome(A, b"", b"", (wanted,)),)))
    assert max(map(len, lines)) <= 40
    assert sum(line.count("word") for line in lines) == 40
