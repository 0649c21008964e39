"""The report as text: one block per file, causes first; what follows from a cause is counted under it.

Equal notes are one line, at the first place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from migrate.outcome import FileOutcome, Finding, Level
from migrate.report.causes import folded
from migrate.report.run import Run, counted, printable, stays

_DIFF = {"+": "green", "-": "red", "@": "cyan"}
_COLOURS = {"bold": "1", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


NOT_GIVEN = "CCM049"


class Line(NamedTuple):
    """A line and how a terminal shows it: a name of a colour, or nothing."""

    text: str
    style: str = ""

    def shown(self, colours: bool) -> str:
        """Return the line as it is printed."""
        text = printable(self.text)
        return f"\x1b[{_COLOURS[self.style]}m{text}\x1b[0m" if colours and self.style else text


def lines(run: Run) -> Iterator[Line]:
    """Report a run; problems are not in it, they go to standard error."""
    for outcome in run.outcomes:
        if outcome.findings or outcome.changed:
            yield from file_lines(run, outcome)
    yield from ending(run)


def file_lines(run: Run, outcome: FileOutcome) -> Iterator[Line]:
    """Report one file."""
    yield Line(f"{run.name(outcome.path)}: {run.told(outcome)}", "bold")
    shown = [finding for finding in outcome.findings if finding.code and not _follows(finding)]
    for findings in folded(sorted(shown, key=lambda finding: (not stays(finding), finding.span))):
        first = findings[0]
        note = "" if stays(first) else "evidence: " if first.level is Level.EVIDENCE else "note: "
        text = f"  {place(run, first)}: {first.code} {note}{described(findings)}"
        yield Line(text, "yellow" if stays(first) else "")
    yield from _consequences(run, outcome)


def _follows(finding: Finding) -> bool:
    return stays(finding) and finding.because is not None


def _consequences(run: Run, outcome: FileOutcome) -> Iterator[Line]:
    by_cause: dict[str, list[Finding]] = {}
    for finding in filter(_follows, outcome.findings):
        by_cause.setdefault(because(run, finding), []).append(finding)
    for cause, findings in by_cause.items():
        yield Line(f"  {counted(len(findings), 'reference')} not rewritten{cause}: {listed(findings)}")


def because(run: Run, finding: Finding) -> str:
    """Say what a finding follows from."""
    if outside := run.not_given(finding):
        return f" because {run.name(outside[0])}:{outside[1].line}, which you did not give ({NOT_GIVEN}), was not"
    cause = run.chain(finding)[-1]
    return "" if _follows(cause) else f" because {place(run, cause)} ({cause.code}) was not"


def listed(findings: Iterable[Finding]) -> str:
    """Return the lines of findings, those that follow each other as a range."""
    numbers = sorted({finding.span.line for finding in findings})
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][-1] == number - 1:
            ranges[-1] = [ranges[-1][0], number]
        else:
            ranges.append([number])
    told = ", ".join("-".join(map(str, part)) for part in ranges)
    return f"line{'s' if len(numbers) > 1 else ''} {told}"


def place(run: Run, finding: Finding) -> str:
    """Return the place of a finding for people."""
    return f"{run.name(finding.path)}:{finding.span.line}"


def said(finding: Finding) -> str:
    """Return what a finding is about."""
    return f"{finding.name}: {finding.message}" if finding.name else finding.message


def described(findings: Sequence[Finding]) -> str:
    """Return what findings that were folded into one line are about."""
    first = findings[0]
    return said(first) if len(findings) == 1 else f"{first.message}: {len(findings)} places, {listed(findings)}"


def ending(run: Run) -> Iterator[Line]:
    """Report the sum of everything, and where to read on."""
    yield Line(run.summary(), "bold")
    findings = [finding for outcome in run.outcomes for finding in outcome.findings if finding.code]
    codes = {finding.code for finding in findings}
    outside = {found[0] for finding in filter(_follows, findings) if (found := run.not_given(finding))}
    if outside:
        codes.add(NOT_GIVEN)
        yield Line(f"give migrate what these files share handles with, too: {' '.join(map(run.name, sorted(outside)))}")
    if codes:
        yield Line(f"python -m migrate explain {' '.join(sorted(codes))} describes these codes")


def problems(run: Run) -> Iterator[Line]:
    """Report what could not be handled."""
    for problem in run.problems:
        for number, text in enumerate(f"{run.name(problem.path)}: {problem.level}: {problem.message}".splitlines()):
            yield Line(text, "red" if number == 0 and problem.bit else "")


def diff_line(line: bytes) -> Line:
    """Return a line of a diff as people see it."""
    shown = line.decode("utf-8", "replace").rstrip("\r\n").expandtabs()
    return Line(shown, "bold" if shown[:3] in ("+++", "---") else _DIFF.get(shown[:1], ""))
