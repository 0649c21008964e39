"""The report as annotations of GitHub: workflow commands, which stand beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from migrate.outcome import FileOutcome, Finding, Level
from migrate.report.causes import folded
from migrate.report.run import Run, stays
from migrate.report.text import NOT_GIVEN, because, described

_COMMANDS = {Level.SAFE: "notice", Level.EVIDENCE: "notice", Level.NEEDS_EVIDENCE: "warning", Level.MANUAL: "error"}


def text(run: Run) -> str:
    """Return a command for each problem and each cause, and one for all that changes in a file.

    Equal notes of a file are one command: GitHub shows ten of a kind, then no more.
    """
    return "".join(f"{line}\n" for line in _lines(run)) + f"{run.summary()}\n"


def _lines(run: Run) -> Iterator[str]:
    for problem in run.problems:
        yield _command(problem.level, problem.message, file=run.name(problem.path), title="migrate")
    for outcome in run.outcomes:
        if outcome.changed:
            yield _command("notice", run.told(outcome), file=run.name(outcome.path), title="migrate")
        causes = (finding for finding in outcome.findings if finding.code and not finding.because)
        yield from (_annotation(run, findings) for findings in folded(causes))
        yield from _missing(run, outcome)


def _missing(run: Run, outcome: FileOutcome) -> Iterator[str]:
    """Yield a command for each place of a file that was not given which something here waits for."""
    first: dict[object, Finding] = {}
    for finding in filter(stays, outcome.findings):
        if place := run.not_given(finding):
            first.setdefault(place, finding)
    for finding in first.values():
        yield _annotation(run, [finding._replace(code=NOT_GIVEN, message=f"not rewritten{because(run, finding)}")])


def _annotation(run: Run, findings: Sequence[Finding]) -> str:
    finding = findings[0]
    span = finding.span
    return _command(
        _COMMANDS[finding.level],
        described(findings),
        file=run.name(finding.path),
        line=str(span.line),
        endLine=str(span.end_line),
        title=finding.code,
    )


def _command(name: str, message: str, **properties: str) -> str:
    given = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in properties.items())
    return f"::{name} {given}::{_escaped(message)}"


def _escaped(text: str, also: str = "") -> str:
    """Escape what ends a command or one of its properties."""
    return "".join(f"%{ord(letter):02X}" if letter in "%\r\n" + also else letter for letter in text)
