"""Why references stay old: each cause and what follows from it; and the notes, equal ones together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from migrate.outcome import Finding, Level
from migrate.report.run import Run, stays


def causes(run: Run) -> Mapping[Finding, Sequence[Finding]]:
    """Map each cause to its consequences, both in the order of files and lines.

    A finding whose cause is not in the run, or that follows from itself, stands for the cause.
    """
    found: dict[Finding, list[Finding]] = {}
    for outcome in run.outcomes:
        for finding in sorted(filter(stays, outcome.findings), key=lambda finding: finding.span):
            cause = run.chain(finding)[-1]
            found.setdefault(cause, []).extend([] if cause == finding else [finding])
    return dict(sorted(found.items(), key=lambda item: (item[0].path, item[0].span)))


def notes(run: Run) -> Mapping[tuple[str, str], Sequence[Finding]]:
    """Map each code that asks for nothing to its findings: a note, or what evidence has settled."""
    found: dict[tuple[str, str], list[Finding]] = {}
    for outcome in run.outcomes:
        for finding in outcome.findings:
            if finding.code and not stays(finding):
                kind = "evidence" if finding.level is Level.EVIDENCE else "note"
                found.setdefault((finding.code, kind), []).append(finding)
    return dict(sorted(found.items()))


def folded(findings: Iterable[Finding]) -> Sequence[Sequence[Finding]]:
    """Put the notes of one file together that have one code and one message; every other finding stands alone."""
    alike: dict[object, list[Finding]] = {}
    for finding in findings:
        key = (finding.code, finding.message) if finding.level is Level.SAFE else finding
        alike.setdefault(key, []).append(finding)
    return list(alike.values())
