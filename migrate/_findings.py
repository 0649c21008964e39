"""Findings: the decision on every reference and cause, for reports."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from migrate._decision import Cause, Decision, Verdict
from migrate._file_text import FileText
from migrate._pragmas import SKIPPED, Pragmas
from migrate.codes import CODES
from migrate.facts.program import Reference
from migrate.outcome import Finding, Level, Span
from migrate.python.listing import displays, listed
from migrate.python.source import Located, Source

IMPORT, WITHDRAWN, UNUSED, PRAGMA = "CCM002", "CCM010", "CCM011", "CCM091"


class Findings:
    """Makes the findings of a project's files."""

    def __init__(
        self, sources: Mapping[Path, Source], decision: Decision, pragmas: Pragmas, silent: set[Cause]
    ) -> None:
        """silent: the causes that the program wants no word of; it gets one where others depend on them."""
        self.sources, self.decision, self.pragmas, self.silent = sources, decision, pragmas, silent
        found = decision.verdicts.items()
        self._followed = {it.cause for reference, it in found if it.cause and it.cause.node is not reference.node}
        self._causes: dict[Path, list[Cause]] = {}
        for cause in decision.causes:
            self._causes.setdefault(cause.path, []).append(cause)

    def of(self, path: Path, text: FileText) -> tuple[Finding, ...]:
        """Return the findings of one file in the order of its text."""
        shown = [*self._references(path, text), *self._places(path, text), *self._imports(path, text)]
        shown += [*self._listings(path, text), *unused_pragmas(self.pragmas, path)]
        return tuple(sorted(shown, key=lambda finding: (finding.span, finding.code, finding.name)))

    def _references(self, path: Path, text: FileText) -> Iterator[Finding]:
        for reference, verdict in text.verdicts.items():
            own = _is_own(reference, verdict)
            if own and verdict.cause in self.silent:
                yield from self._skipped(verdict.cause, reference.name)
                continue
            because = None if own or verdict.cause is None else self._place(verdict.cause)
            code = verdict.cause.code if own and verdict.cause else verdict.code
            message = self._message(path, verdict, code, own)
            change = text.change_of(verdict)
            evidence = verdict.cause.evidence if own and verdict.cause else verdict.evidence
            yield Finding(
                _rule(reference), code, verdict.level, path, self.span(path, reference.node), reference.name,
                with_evidence(message, verdict.level, evidence), change, because, evidence,
            )  # fmt: skip

    def _message(self, path: Path, verdict: Verdict, code: str, own: bool) -> str:
        cause = verdict.cause
        if own or cause is None:
            return CODES[code].title if code else "rewritten"
        where = f"line {getattr(cause.node, 'lineno', 1)}" + ("" if cause.path == path else f" of {cause.path}")
        return f"not rewritten because {where} ({SKIPPED if cause in self.silent else cause.code}) was not"

    def _skipped(self, cause: Cause | None, name: str) -> Iterator[Finding]:
        if cause in self._followed and cause is not None:
            span, title = self.span(cause.path, cause.node), CODES[SKIPPED].title
            yield Finding("pragmas", SKIPPED, Level.SAFE, cause.path, span, name, title)

    def _places(self, path: Path, text: FileText) -> Iterator[Finding]:
        """Yield the causes that no reference is reported as: most are in places that name nothing old."""
        nodes = {reference.node for reference in text.verdicts}
        told = {verdict.cause for reference, verdict in text.verdicts.items() if _is_own(reference, verdict)}
        for cause in self._causes.get(path, ()):
            is_told = cause in told or (cause.node in nodes and cause.level not in (Level.MANUAL, Level.NEEDS_EVIDENCE))
            if not is_told and cause in self.silent:
                yield from self._skipped(cause, _name(cause.node))
            elif not is_told:
                title = with_evidence(CODES[cause.code].title, cause.level, cause.evidence)
                yield Finding(
                    "handles", cause.code, cause.level, path, self.span(path, cause.node), _name(cause.node), title,
                    evidence=cause.evidence,
                )  # fmt: skip

    def _imports(self, path: Path, text: FileText) -> Iterator[Finding]:
        unused = set(text.imports.unused())
        cause = next((verdict.cause for verdict in text.verdicts.values() if verdict.cause), None)
        for alias, old in text.old.items():
            span = self.span(path, alias)
            if not text.imports.remains(alias):
                code = UNUSED if alias in unused else ""
                message = CODES[code].title if code else "rewritten"
                yield Finding("imports", code, Level.SAFE, path, span, alias.name, message)
            elif old.direct:
                because = self._place(cause) if cause else None
                level = cause.level if cause else Level.MANUAL
                title = f"the import stays: {_needed_by(alias, text)}"
                yield Finding("imports", IMPORT, level, path, span, alias.name, title, because=because)

    def _listings(self, path: Path, text: FileText) -> Iterator[Finding]:
        """Yield the names that go from `__all__`."""
        items = (item for display in displays(text.names) for item in display.elts if isinstance(item, ast.Constant))
        for item in items:
            if item.value in text.imports.withdrawn:
                span, title = self.span(path, item), CODES[WITHDRAWN].title
                yield Finding("imports", WITHDRAWN, Level.SAFE, path, span, str(item.value), title)

    def _place(self, cause: Cause) -> tuple[Path, Span]:
        return cause.path, self.span(cause.path, cause.node)

    def span(self, path: Path, node: ast.AST) -> Span:
        """Return where a node of a file stands."""
        assert isinstance(node, Located)
        return span_of(self.sources[path], node)


def _is_own(reference: Reference, verdict: Verdict) -> bool:
    """Whether a reference is itself the cause of why it stays."""
    return verdict.cause is not None and verdict.cause.node is reference.node


def with_evidence(message: str, level: Level, evidence: str) -> str:
    """Return a message with what runs showed, or why they do not count."""
    if not evidence:
        return message
    return f"{message}; {'settled by' if level is Level.EVIDENCE else 'no evidence:'} {evidence}"


def span_of(source: Source, node: Located) -> Span:
    """Return where a node stands; of an attribute, where its name does."""
    start, end = source.span(node)
    if isinstance(node, ast.Attribute):
        start = end - len(node.attr)
    first, last = node.lineno, node.end_lineno or node.lineno
    first = last if isinstance(node, ast.Attribute) else first
    return Span(first, start - source.line_start(first), last, end - source.line_start(last))


def unused_pragmas(pragmas: Pragmas, path: Path) -> Iterator[Finding]:
    """Yield a finding for each pragma of a file that leaves out nothing."""
    for pragma, code in pragmas.unused(path):
        name = f"migrate: skip[{code}]" if code else "migrate: skip"
        yield Finding("pragmas", PRAGMA, Level(CODES[PRAGMA].level), path, pragma.span, name, CODES[PRAGMA].title)


def _needed_by(alias: ast.alias, text: FileText) -> str:
    """Return what needs the old name that an import binds."""
    if _is_listed(alias, text):
        return "__all__ exports the name to other programs"
    variable = text.names.of.get(alias)
    if variable is not None and not variable.loads and text.exported.get(variable.name) is False:
        return "other code may take the name from this file"
    return "code that was not rewritten needs it"


def _is_listed(alias: ast.alias, text: FileText) -> bool:
    """Whether `__all__` has the name that an import binds, or one that only a star can bring."""
    names, bound = listed(text.names), text.names.module.variables
    return any(name not in bound for name in names) if alias.name == "*" else text.names.of[alias].name in names


def _name(node: ast.AST) -> str:
    """Return what a place is called that names nothing old."""
    named = (getattr(node, field, "") for field in ("id", "attr", "arg", "name", "value"))
    return next((name for name in named if isinstance(name, str) and name), "a handle")


def _rule(reference: Reference) -> str:
    return reference.call.function if reference.call else "names"
