"""Mode shim: imports of an old module become imports of the one in comm_channel_compat, and nothing else changes.

Under the launcher both names are one module, so that no program can tell by which one it was imported. What names the
old module in another text that is read at run time stays with a finding, and so does what is called in a C library.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from migrate import codes
from migrate._findings import span_of, unused
from migrate._pragmas import Pragmas
from migrate.codes import CODES
from migrate.facts.program import Facts, Reference
from migrate.facts.references import OF_C
from migrate.outcome import FileOutcome, Finding, Level
from migrate.python.source import Located, Source, Unreadable
from migrate.text.check import complaints
from migrate.text.pieces import Change, splice

NEW = "comm_channel_compat"
TEXT, READS_SOURCE, TAKEN, UNCHECKED = "CCM005", "CCM084", "CCM050", "CCM046"
_WORD = re.compile(r"\w+")
_FROM = re.compile(r"from(?:[ \t\f]|\\\r?\n)+")


class _Place(NamedTuple):
    """A reference, and the code under which it stays; "" for an import that changes."""

    reference: Reference
    code: str


def outcomes(sources: Mapping[Path, Source], given: frozenset[Path]) -> dict[Path, FileOutcome]:
    """Return the outcome of every readable file that is given."""
    facts = Facts(sources, given)
    pragmas = Pragmas(sources, {path: facts.project.names(path) for path in sources})
    return {path: _File(path, sources[path], facts, pragmas).outcome() for path in given & sources.keys()}


class _File:
    """One file: each is redirected by itself, as others cannot tell whether it was."""

    def __init__(self, path: Path, source: Source, facts: Facts, pragmas: Pragmas) -> None:
        self.path, self.source, self.facts, self.pragmas = path, source, facts, pragmas
        self.names = facts.project.names(path)
        self.redirected = facts.vocabulary.stand_ins
        self.silent: set[ast.AST] = set()  # nodes that a comment of the program leaves alone
        found = (_Place(it, code) for it in facts.references if (code := self._code(it)) is not None)
        self.places = [place for place in found if not self._is_skipped(place)]

    def outcome(self) -> FileOutcome:
        """Return the new text with its findings; the old one if the new one does not pass the check."""
        new = self._new()
        if not self._passes(new):
            self.places = [_Place(reference, code or UNCHECKED) for reference, code in self.places]
            new = self._new()
        findings = [*map(self._finding, self.places), *unused(self.pragmas, self.path)]
        ordered = tuple(sorted(findings, key=lambda finding: (finding.span, finding.code, finding.name)))
        return FileOutcome(self.path, self.source.data, new, ordered)

    # ------------------------------------------------------------------ what becomes of a reference

    def _code(self, reference: Reference) -> str | None:
        """Return the code under which a reference stays, "" for an import to redirect, None for anything else."""
        node = reference.node
        if reference.path != self.path:
            return None
        if reference.opened is not None:
            return reference.code if reference.opened[1] is node else None
        if isinstance(node, ast.alias):
            return self._code_of_import(reference, node)
        if isinstance(node, ast.Constant):
            words = {word.removeprefix("lib") for word in _WORD.findall(str(node.value))}
            return self._code_of_text(reference, node) if words & self.redirected.keys() else None
        return reference.code if reference.code == OF_C else None

    def _code_of_text(self, reference: Reference, node: ast.Constant) -> str | None:
        if reference.code:
            return TEXT if reference.code in (TEXT, "CCM006") else None
        if not isinstance(self.names.parents.get(node), ast.Call):
            return None  # an annotation, whose names stay
        package = _package(str(node.value))
        known = package in self.redirected and self.source.slice(node).count(package) == 1
        return self._obstacle() if known else TEXT

    def _code_of_import(self, reference: Reference, alias: ast.alias) -> str | None:
        if reference.code == OF_C:
            return reference.code
        statement = self.names.statement(alias)
        module = alias.name if isinstance(statement, ast.Import) else getattr(statement, "module", None) or ""
        own = bool(getattr(statement, "level", 0)) or self.facts.project.resolve(self.path, module) is not None
        if own or _package(module) not in self.redirected:
            return None
        return self._obstacle()

    def _obstacle(self) -> str:
        """Return why nothing in the file is redirected, "" if nothing is in the way."""
        if self.path in self.facts.source_readers:
            return READS_SOURCE
        return "" if self.facts.project.resolve(self.path, NEW) is None else TAKEN

    def _is_skipped(self, place: _Place) -> bool:
        """Whether a comment of the program leaves a place alone: of an import all of the statement."""
        node = place.reference.node
        skipped = bool(self.pragmas.refusal(self.path, node, place.code))
        if skipped:
            self.silent.add(self.names.statement(node) if isinstance(node, ast.alias) else node)
        return skipped

    # ------------------------------------------------------------------ text

    def _changes(self) -> Iterator[Change]:
        statements = set()
        for node in (place.reference.node for place in self.places if not place.code):
            statement = self.names.statement(node)
            if isinstance(node, ast.Constant):
                package = _package(str(node.value))
                yield self._redirection(package, self.source.text.index(package, self.source.span(node)[0]))
            elif isinstance(statement, ast.Import):
                assert isinstance(node, ast.alias)
                yield self._renamed(node)
            elif statement not in statements and statement not in self.silent:
                statements.add(statement)
                match = _FROM.match(self.source.text, self.source.span(statement)[0])
                assert match is not None
                assert isinstance(statement, ast.ImportFrom)
                yield self._redirection(_package(statement.module or ""), match.end())

    def _renamed(self, alias: ast.alias) -> Change:
        """Return the change of a module in `import a, b`: the name that it binds stays, the submodules are there."""
        start, end = self.source.span(alias)
        package = _package(alias.name)
        if alias.asname:
            return self._redirection(package, start)
        return Change(start, end, f"{self.redirected[package]} as {package}")

    def _redirection(self, package: str, start: int) -> Change:
        """Return the change of the name of an old package in the text."""
        return Change(start, start + len(package), self.redirected[package])

    def _new(self) -> bytes:
        wanted: dict[int, str] = {}
        for reference, code in self.places:
            if code and Level(CODES[code].level) is not Level.SAFE:
                wanted.setdefault(self.pragmas.lines[self.path].first(reference.node), code)
        comments = self.pragmas.comments[self.path].changes(wanted, codes.comment)
        return self.source.encode(splice(self.source.text, [*self._changes(), *comments]))

    def _passes(self, new: bytes) -> bool:
        try:
            made = Source(new)
        except Unreadable:
            return False
        return not complaints(self.source, made, stars=self.facts.vocabulary.stars)

    def _finding(self, place: _Place) -> Finding:
        node, code = place.reference.node, place.code
        assert isinstance(node, Located)
        span = span_of(self.source, node)
        if not code:
            return Finding("imports", "", Level.SAFE, self.path, span, place.reference.name, "redirected", NEW)
        rule = "imports" if isinstance(node, ast.alias) else "names"
        level, title = Level(CODES[code].level), CODES[code].title
        return Finding(rule, code, level, self.path, span, place.reference.name, title)


def _package(dotted: str) -> str:
    return dotted.partition(".")[0]
