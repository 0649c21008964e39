"""The result of a whole run: the outcomes of its files, the problems, and the totals of both."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntFlag
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from migrate.outcome import FileOutcome, Finding, Level, Span


class Exit(IntFlag):
    """The bits of the exit status."""

    CLEAN = 0
    PENDING = 1
    MANUAL = 2
    FILES = 4
    INTERNAL = 8


@dataclass(frozen=True)
class Problem:
    """Something about a file that kept it from being handled; a warning when the file itself was not asked for."""

    path: Path
    message: str
    bit: Exit = Exit.FILES

    @property
    def level(self) -> str:
        """The word for it in every format."""
        return "error" if self.bit else "warning"


@dataclass(frozen=True)
class Run:
    """A run. `base` is the folder that printed paths start from; `written` are the files that have their new text."""

    base: Path
    outcomes: Sequence[FileOutcome] = ()
    problems: Sequence[Problem] = ()
    written: frozenset[Path] = frozenset()

    def name(self, path: Path) -> str:
        """Return a path for people: from the base where it lies below it."""
        return str(path.relative_to(self.base) if path.is_relative_to(self.base) else path)

    def is_done(self, outcome: FileOutcome) -> bool:
        """Return whether a file has its new text: one may be the same, such as `ep.listen(name)`."""
        return outcome.path in self.written or (bool(self.written) and not outcome.changed)

    def told(self, outcome: FileOutcome) -> str:
        """Return what becomes of a file, in words."""
        counts, done = Counts.of(outcome.findings), self.is_done(outcome)
        if outcome.changed and not any(counts):
            return f"{'was' if done else 'would be'} changed together with files that use the old API"
        return counts.text(done)

    @cached_property
    def status(self) -> Exit:
        """The exit status."""
        status = Exit.CLEAN
        for outcome in self.outcomes:
            if outcome.changed and outcome.path not in self.written:
                status |= Exit.PENDING
            if any(map(stays, outcome.findings)):
                status |= Exit.MANUAL
        for problem in self.problems:
            status |= problem.bit
        return status

    @cached_property
    def findings(self) -> dict[tuple[Path, object], Finding]:
        """The first finding at each place, to follow `because` with."""
        found: dict[tuple[Path, object], Finding] = {}
        for outcome in self.outcomes:
            for finding in outcome.findings:
                found.setdefault((finding.path, finding.span), finding)
        return found

    def chain(self, finding: Finding) -> list[Finding]:
        """Return a finding and what it follows from, up to the cause."""
        chain = [finding]
        while chain[-1].because is not None:
            above = self.findings.get(chain[-1].because)
            if above is None or above in chain:
                break
            chain.append(above)
        return chain

    def not_given(self, finding: Finding) -> tuple[Path, Span] | None:
        """Return the place of what a finding follows from, when it is in a file that was not given."""
        place = self.chain(finding)[-1].because
        return place if place is not None and place[0] not in self._given else None

    @cached_property
    def _given(self) -> frozenset[Path]:
        return frozenset(outcome.path for outcome in self.outcomes)

    def summary(self) -> str:
        """Return the run in one line."""
        files = [outcome for outcome in self.outcomes if outcome.findings]
        errors = sum(problem.bit != 0 for problem in self.problems)
        trouble = f"; {counted(errors, 'error')}" if errors else ""
        if not files:
            return f"nothing uses the old API{trouble}"
        counts = Counts.of(finding for outcome in files for finding in outcome.findings)
        written = bool(self.written)
        verb = ("used" if written else "uses") if len(files) == 1 else "used" if written else "use"
        others = sum(outcome.changed and not outcome.findings for outcome in self.outcomes)
        would = ("was" if others == 1 else "were") if written else "would be"
        also = f"; {counted(others, 'other file')} {would} changed" if others else ""
        return f"{counted(len(files), 'file')} {verb} the old API: {counts.text(written)}{also}{trouble}"


class Counts(NamedTuple):
    """How many references change, need you, and only wait for those that do; imports: of those that change."""

    changed: int
    imports: int
    causes: int
    waiting: int

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> Counts:
        """Count findings."""
        known = list(findings)
        left = [finding for finding in known if stays(finding)]
        causes = sum(finding.because is None for finding in left)
        imports = sum(finding.rule == "imports" and finding.level is Level.SAFE for finding in known)
        return cls(sum(bool(finding.change) for finding in known), imports, causes, len(left) - causes)

    def text(self, written: bool) -> str:
        """Return the counts in words."""
        number, noun = (self.changed, "reference") if self.changed or not self.imports else (self.imports, "import")
        done = f"{counted(number, noun)} " if number else "no references "
        done += ("was" if number == 1 else "were") if written else "would be"
        need = "needs" if self.causes == 1 else "need"
        wait = (
            f" ({self.waiting} more depend{'s' if self.waiting == 1 else ''} on what needs you)" if self.waiting else ""
        )
        return f"{done} rewritten, {self.causes or 'none'} {need} you{wait}"


def stays(finding: Finding) -> bool:
    """Return whether a reference stays old, and needs you."""
    return not finding.change and finding.level in (Level.NEEDS_EVIDENCE, Level.MANUAL)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: 1 file, 2 files."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def printable(text: str) -> str:
    """Return a text with what a terminal would act on, or cannot show, written as escapes."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape", "surrogatepass").decode() for letter in text
    )
