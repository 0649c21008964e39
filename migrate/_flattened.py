"""Files that call C, rewritten as the flat files they stand for: whole, or left as they are with the cause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from migrate.evidence.runs import own_lines
from migrate.facts.libraries import OPENED, Cause
from migrate.outcome import FileOutcome, Finding, Options, Span
from migrate.python.source import Located, Source
from migrate.text.comments import Comments

if TYPE_CHECKING:
    from migrate._decision import Decision
    from migrate.bindings.files import Flat, Group


class Flattened:
    """The groups of files that call C, and which of them are flat so far."""

    def __init__(self, sources: Mapping[Path, Source], given: frozenset[Path], options: Options) -> None:
        self._sources = sources
        self._groups: list[Group] = []
        if calls_c(sources):
            from migrate.bindings.files import groups  # here: most projects call no C

            found = groups(sources, given, options.width)
            self._groups = [group for group in found if not any(map(_is_skipped, map(sources.get, group.paths)))]

    @property
    def sources(self) -> dict[Path, Source]:
        """The files of the project, those that are flat in their new text."""
        return {**self._sources, **{path: flat.source for path, flat in self._flat.items()}}

    @property
    def causes(self) -> dict[Path, Cause]:
        """Why files stay as they are."""
        return {path: group.cause for group in self._groups if group.cause for path in group.paths}

    @property
    def paths(self) -> frozenset[Path]:
        """The files that are flat."""
        return frozenset(self._flat)

    def lines(self, path: Path, node: Located) -> range:
        """Return the lines where a node of a file, which may be flat, was in the old text."""
        flat = self._flat.get(path)
        if flat is None:
            return own_lines(path, node)
        first, last = map(flat.old.position, flat.before(*flat.source.span(node)))
        return range(first[0], last[0] + 1)

    @property
    def _flat(self) -> dict[Path, Flat]:
        return {path: flat for group in self._groups for path, flat in group.files.items()}

    def give_up(self, decision: Decision) -> bool:
        """Leave the groups as they are of which something stays old; whether there is one."""
        causes = [self._cause(group, decision) if group.files else None for group in self._groups]
        self._groups = [group.failed(cause) if cause else group
                        for group, cause in zip(self._groups, causes, strict=True)]  # fmt: skip
        return any(causes)

    def _cause(self, group: Group, decision: Decision) -> Cause | None:
        """Return the first cause that keeps a reference of a group old, at its place in the old text."""
        from migrate.bindings.files import old_node  # here: most projects call no C

        for reference, verdict in decision.verdicts.items():
            if reference.path in group.files and not verdict.written:
                found = verdict.cause
                path, node, code, why = (found.path, found.node, found.code, found.evidence) if found else (
                    reference.path, reference.node, verdict.code, "")  # fmt: skip
                flat = self._flat.get(path)
                return Cause(path, old_node(flat, node) if flat else node, code, why)
        return None

    def restored(self, outcomes: Mapping[Path, FileOutcome]) -> dict[Path, FileOutcome]:
        """Return outcomes whose findings, and old bytes, are those of the files as they were."""
        restored = dict(outcomes)
        for path, flat in self._flat.items():
            if path in outcomes:
                findings = tuple(self._restored(finding) for finding in outcomes[path].findings)
                restored[path] = replace(outcomes[path], old=flat.old.data, findings=findings)
        return restored

    def _restored(self, finding: Finding) -> Finding:
        because = finding.because and (finding.because[0], self._span(*finding.because))
        return finding._replace(span=self._span(finding.path, finding.span), because=because)

    def _span(self, path: Path, span: Span) -> Span:
        return span_before(self._flat.get(path), span)


def calls_c(sources: Mapping[Path, Source]) -> bool:
    """Whether some file may call C."""
    return any(spelling in source.data for source in sources.values() for spelling in (b"cffi", b"ctypes"))


def span_before(flat: Flat | None, span: Span) -> Span:
    """Return where a span of a changed file was in the old text; the span itself in a file that is as it was."""
    if flat is None:
        return span
    places = ((span.line, span.column), (span.end_line, span.end_column))
    start, end = (flat.source.line_start(line) + column for line, column in places)
    offsets = flat.before(start, end)
    (line, column), (end_line, end_column) = (flat.old.position(offset) for offset in offsets)
    return Span(line, column, end_line, end_column)


def _is_skipped(source: Source | None) -> bool:
    """Whether a file asks to leave something of it alone: then all stays that shares the library with it."""
    pragmas = Comments(source).pragmas.values() if source else ()
    return any(pragma.covers(OPENED) for found in pragmas for pragma in found)
