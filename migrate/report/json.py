"""The report as JSON: everything that a run found."""

from __future__ import annotations

import json

from migrate.outcome import FileOutcome, Finding, Span
from migrate.report.run import Counts, Run

FORMAT = 1  # raised when a key changes its meaning or goes


def text(run: Run) -> str:
    """Return the run as a JSON document; lines count from 1, columns from 0 in characters, ends are exclusive."""
    document = {
        "format": FORMAT,
        "status": int(run.status),
        "summary": run.summary(),
        "files": [_file(run, outcome) for outcome in run.outcomes],
        "problems": [
            {"path": run.name(problem.path), "level": problem.level, "message": problem.message}
            for problem in run.problems
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _file(run: Run, outcome: FileOutcome) -> dict[str, object]:
    counts = Counts.of(outcome.findings)
    return {
        "path": run.name(outcome.path),
        "changed": outcome.changed,
        "written": outcome.path in run.written,
        "skipped": outcome.skipped,
        "reason": outcome.reason,
        "counts": {"rewritten": counts.changed, "causes": counts.causes, "consequences": counts.waiting},
        "findings": [_finding(run, finding) for finding in outcome.findings],
    }


def _finding(run: Run, finding: Finding) -> dict[str, object]:
    because = finding.because and {"path": run.name(finding.because[0]), **_span(finding.because[1])}
    return {
        "rule": finding.rule,
        "code": finding.code,
        "level": finding.level.value,
        **_span(finding.span),
        "name": finding.name,
        "message": finding.message,
        "change": finding.change,
        "because": because,
        "evidence": finding.evidence,
    }


def _span(span: Span) -> dict[str, int]:
    return {"line": span.line, "column": span.column, "end_line": span.end_line, "end_column": span.end_column}
