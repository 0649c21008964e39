"""Where each place of a run is found on its page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from migrate.codes import CODES
from migrate.outcome import FileOutcome, Finding
from migrate.report.page.markup import Element, tag
from migrate.report.page.sides import Hunk, hunks
from migrate.report.run import Run


@dataclass(frozen=True)
class Shown:
    """A file on the page: the ids of its row, its diff and its old lines begin with `id`."""

    id: str
    outcome: FileOutcome
    hunks: Sequence[Hunk]
    lines: frozenset[int]

    @classmethod
    def of(cls, number: int, outcome: FileOutcome) -> Shown:
        """Show a file, the one of this number."""
        changes = hunks(outcome) if outcome.changed else ()
        lines = frozenset(row.old.number for hunk in changes for row in hunk if row.old)
        return cls(f"file-{number}", outcome, changes, lines)

    @property
    def diff_id(self) -> str:
        """The id of its diff."""
        return f"{self.id}-diff"

    def line_id(self, number: int) -> str:
        """Return the id of an old line that the diff shows."""
        return f"{self.id}-line-{number}"

    @property
    def codes(self) -> str:
        """The codes in it, for the filter."""
        return codes(self.outcome.findings)


@dataclass(frozen=True)
class Links:
    """The files of a run that its page shows."""

    run: Run
    files: Mapping[Path, Shown]

    @classmethod
    def of(cls, run: Run) -> Links:
        """Read them from a run."""
        outcomes = [outcome for outcome in run.outcomes if outcome.findings or outcome.changed]
        return cls(run, {outcome.path: Shown.of(number, outcome) for number, outcome in enumerate(outcomes, 1)})

    def place(self, finding: Finding) -> Element:
        """Return the place of a finding: a link to its line, or to the file where no diff shows the line."""
        number = finding.span.line
        text = f"{self.run.name(finding.path)}:{number}"
        file = self.files.get(finding.path)
        if file is None:
            return tag("span", text, class_="place")
        return tag("a", text, href=f"#{file.line_id(number) if number in file.lines else file.id}", class_="place")


def code_link(code: str) -> Element:
    """Return a code as a link to what it means."""
    return tag("a", code, href=f"#{code}", class_="code") if code in CODES else tag("span", code, class_="code")


def codes(findings: Iterable[Finding]) -> str:
    """Return the codes of findings, for the filter."""
    return " ".join(sorted({finding.code for finding in findings if finding.code}))
