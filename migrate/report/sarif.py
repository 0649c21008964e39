"""The report as SARIF 2.1.0, which code review tools read."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from migrate._version import release
from migrate.codes import CODES
from migrate.outcome import FileOutcome, Finding, Level, Span
from migrate.report.diff import Matcher
from migrate.report.run import Exit, Problem, Run

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Level.SAFE: "note", Level.EVIDENCE: "note", Level.NEEDS_EVIDENCE: "warning", Level.MANUAL: "error"}


def text(run: Run) -> str:
    """Return the run as a SARIF log with one run."""
    findings = [finding for outcome in run.outcomes for finding in outcome.findings]
    rules = sorted({_rule_id(finding) for finding in findings})
    driver = {"name": "migrate", "version": release(), "rules": [_rule(rule) for rule in rules]}
    invocation = {
        "executionSuccessful": not run.status & Exit.INTERNAL,
        "exitCode": int(run.status),
        "toolExecutionNotifications": [_notification(run, problem) for problem in run.problems],
    }
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"ROOT": {"uri": (run.base / "_").as_uri().removesuffix("_")}},
                "invocations": [invocation],
                "results": [result for outcome in run.outcomes for result in _results(run, outcome, rules)],
            }
        ],
    }
    return json.dumps(log, indent=2) + "\n"


def _results(run: Run, outcome: FileOutcome, rules: list[str]) -> list[dict[str, object]]:
    """The results of a file. The first has the fix, of the whole file: its changes need each other."""
    results = [_result(run, finding, rules) for finding in outcome.findings]
    if results and outcome.changed and outcome.path not in run.written and _is_utf8(outcome.new):
        change = {"artifactLocation": _artifact(run, outcome.path), "replacements": _replacements(outcome)}
        results[0]["fixes"] = [{"description": {"text": "migrate this file"}, "artifactChanges": [change]}]
    return results


def _replacements(outcome: FileOutcome) -> list[dict[str, object]]:
    """The lines that change, each run of them as one replacement."""
    matcher = Matcher(outcome)
    return [
        {
            "deletedRegion": {"startLine": first + 1, "startColumn": 1, "endLine": last + 1, "endColumn": 1},
            "insertedContent": {"text": b"".join(matcher.new[begin:end]).decode()},
        }
        for what, first, last, begin, end in matcher.get_opcodes()
        if what != "equal"
    ]


def _is_utf8(text: bytes) -> bool:
    with suppress(UnicodeDecodeError):
        text.decode()
        return True
    return False


def _rule_id(finding: Finding) -> str:
    return finding.code or finding.rule or "migrate"


def _rule(rule: str) -> dict[str, object]:
    page = CODES.get(rule)
    if page is None:
        return {"id": rule, "shortDescription": {"text": f"rewritten by the rule {rule}"}}
    return {
        "id": rule,
        "shortDescription": {"text": page.title},
        "fullDescription": {"text": page.explanation},
        "help": {"text": page.advice},
    }


def _result(run: Run, finding: Finding, rules: list[str]) -> dict[str, object]:
    rule = _rule_id(finding)
    message = finding.message or f"becomes {finding.change}"
    result: dict[str, object] = {
        "ruleId": rule,
        "ruleIndex": rules.index(rule),
        "level": _LEVELS[finding.level],
        "message": {"text": f"{finding.name}: {message}" if finding.name else message},
        "locations": [_location(run, finding.path, finding.span)],
    }
    if finding.because:
        cause = _location(run, *finding.because) | {"message": {"text": "follows from this"}}
        result["relatedLocations"] = [cause]
    return result


def _location(run: Run, path: Path, span: Span | None = None) -> dict[str, object]:
    physical: dict[str, object] = {"artifactLocation": _artifact(run, path)}
    if span is not None:
        physical["region"] = {
            "startLine": span.line,
            "startColumn": span.column + 1,
            "endLine": span.end_line,
            "endColumn": span.end_column + 1,
        }
    return {"physicalLocation": physical}


def _artifact(run: Run, path: Path) -> dict[str, str]:
    if path.is_relative_to(run.base):
        return {"uri": quote(bytes(path.relative_to(run.base))), "uriBaseId": "ROOT"}
    return {"uri": path.as_uri()}


def _notification(run: Run, problem: Problem) -> dict[str, object]:
    return {
        "level": problem.level,
        "message": {"text": problem.message},
        "locations": [_location(run, problem.path)],
    }
