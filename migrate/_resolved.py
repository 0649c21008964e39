"""Files with getattr calls, rewritten with tables of the names that are seen, or that runs read, where these change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

from migrate._decision import Decision
from migrate._findings import with_evidence
from migrate._flattened import span_before
from migrate.bindings.files import Flat
from migrate.evidence.lookups import Table
from migrate.facts.program import Reference
from migrate.outcome import FileOutcome, Finding, Level, Span
from migrate.python.source import Located, Source
from migrate.text.pieces import splice

LOOKUP = "CCM005"


class Resolved:
    """A project with tables, of which some may be given up."""

    def __init__(self, sources: Mapping[Path, Source], tables: Sequence[Table]) -> None:
        self._sources = sources
        self._fill(tables)

    def _fill(self, tables: Sequence[Table]) -> None:
        self.tables = tables
        files: dict[Path, list[Table]] = {}
        for table in tables:
            files.setdefault(table.path, []).append(table)
        self._flat = {path: self._spliced(path, found) for path, found in files.items()}

    def _spliced(self, path: Path, tables: Sequence[Table]) -> Flat:
        source = self._sources[path]
        changes = sorted(chain.from_iterable(table.changes for table in tables))
        return Flat(source, Source(source.encode(splice(source.text, changes))), changes)

    @property
    def sources(self) -> dict[Path, Source]:
        """The files of the project, with tables where they are."""
        return {**self._sources, **{path: flat.source for path, flat in self._flat.items()}}

    def give_up(self, decision: Decision, flat: frozenset[Path]) -> Sequence[Table]:
        """Leave the look-ups as they are in whose tables something stays old, and return their tables.

        flat: the files that change from calls of C, as a whole.
        """
        old = [reference for reference, verdict in decision.verdicts.items() if not verdict.written]
        left = [table for table in self.tables if table.path not in flat]
        gone = [table for table in left if table.of_c or any(self._has(table, reference) for reference in old)]
        self._fill([table for table in self.tables if table not in gone])
        return gone

    def _has(self, table: Table, reference: Reference) -> bool:
        """Whether a reference stands in a table, or in what it is asked for."""
        if reference.path != table.path or not isinstance(reference.node, Located):
            return False
        flat = self._flat[table.path]
        start, _ = flat.before(*flat.source.span(reference.node))
        return table.changes[0].start <= start < table.changes[1].end

    def restored(self, outcomes: Mapping[Path, FileOutcome]) -> dict[Path, FileOutcome]:
        """Return outcomes whose findings, and old bytes, are those of the files as they were."""
        restored = dict(outcomes)
        for path in self._flat.keys() & outcomes.keys():
            findings = tuple(self._restored(finding) for finding in outcomes[path].findings)
            restored[path] = replace(outcomes[path], old=self._sources[path].data, findings=findings)
        return restored

    def _restored(self, finding: Finding) -> Finding:
        span = span_before(self._flat.get(finding.path), finding.span)
        because = finding.because and (
            finding.because[0], span_before(self._flat.get(finding.because[0]), finding.because[1]))  # fmt: skip
        table = next((table for table in self.tables if table.path == finding.path and self._is_in(span, table)), None)
        if table is None or not table.shown or not finding.change:
            return finding._replace(span=span, because=because)
        message = with_evidence(finding.message, Level.EVIDENCE, table.shown)
        return finding._replace(
            span=span, because=because, code=finding.code or LOOKUP, level=Level.EVIDENCE, message=message,
            evidence=table.shown,
        )  # fmt: skip

    def _is_in(self, span: Span, table: Table) -> bool:
        start = self._sources[table.path].line_start(span.line) + span.column
        return table.changes[0].start <= start < table.changes[0].end
