"""Mode shim: old modules and C libraries become those of comm_channel_compat where they are brought in.

Imports name the other module. Under the launcher both names are one module, so a program cannot distinguish by which
one it was imported. Calls that open one of DOCA's libraries get the path of the library that stands for it. Nothing
else changes: other strings that name the old module and are read at run time stay, with a finding, and so do calls of C
where nothing opens a library.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from migrate import codes
from migrate._findings import span_of, unused_pragmas
from migrate._loaders import MODULE, Loader, is_redirected, library, loaders
from migrate._pragmas import Pragmas
from migrate.codes import CODES
from migrate.facts.forest import last_name
from migrate.facts.libraries import OPENED
from migrate.facts.patches import PATCHED
from migrate.facts.program import Facts, Reference
from migrate.facts.references import OF_C
from migrate.outcome import FileOutcome, Finding, Level
from migrate.python.listing import listed
from migrate.python.source import Located, Source, Unreadable
from migrate.text.check import complaints
from migrate.text.import_lines import at_top, joined
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
    return {path: _File(path, sources, facts, pragmas).outcome() for path in given & sources.keys()}


class _File:
    """One file: each is redirected by itself, as other files cannot notice it."""

    def __init__(self, path: Path, sources: Mapping[Path, Source], facts: Facts, pragmas: Pragmas) -> None:
        self.path, self.source, self.facts, self.pragmas = path, sources[path], facts, pragmas
        self.importers = [sources[importer] for importer in facts.project.importers[path]]
        self.names = facts.project.names(path)
        self.redirected = facts.vocabulary.stand_ins
        self.silent: set[ast.AST] = set()  # nodes that a comment of the program leaves alone
        calls_c = any(reference.opened and reference.path == path for reference in facts.references)
        calls = facts.calls_in(path) if calls_c and not self._obstacle() else []
        self.loaders = [loader for loader in loaders(calls) if not self._is_kept(loader.call, OPENED)]
        # Nothing is left where libraries are looked up, and where cffi is told for others what they declare.
        self.is_whole = bool(self.loaders) or any(
            is_redirected(it) or last_name(it.func) == "set_source" for it in calls
        )
        found = [_Place(it, code) for it in facts.references if (code := self._code(it)) is not None]
        if self.is_whole:
            found += self._left_open(calls)
        self.places = [place for place in found if not self._is_skipped(place)]

    def outcome(self) -> FileOutcome:
        """Return the new text with its findings; the old one if the new one does not pass the check."""
        new = self._new()
        if not self._passes(new):
            self.places = [_Place(reference, code or UNCHECKED) for reference, code in self.places]
            self.loaders = []
            new = self._new()
        findings = [*map(self._finding, self.places), *map(self._opened, self.loaders)]
        findings += unused_pragmas(self.pragmas, self.path)
        ordered = tuple(sorted(findings, key=lambda finding: (finding.span, finding.code, finding.name)))
        return FileOutcome(self.path, self.source.data, new, ordered)

    # ------------------------------------------------------------------ what becomes of a reference

    def _left_open(self, calls: Sequence[ast.Call]) -> Iterator[_Place]:
        """Yield what opens one of DOCA's libraries in another way than those that are redirected."""
        redirected = {loader.call for loader in self.loaders}
        nodes: list[ast.Call | ast.Subscript] = [*calls, *self.facts.subscripts_in(self.path)]
        for node in nodes:
            if node not in redirected and (name := library(node)):
                yield _Place(Reference(self.path, node, name, code=OPENED), OPENED)

    def _code(self, reference: Reference) -> str | None:
        """Return the code under which a reference stays, "" for an import to redirect, None for anything else."""
        node = reference.node
        if reference.path != self.path or any(map(is_redirected, self.names.above(node))):
            return None
        if reference.opened is not None:
            is_left = reference.opened[1] is node and not (self.is_whole and reference.code == OPENED)
            return reference.code if is_left else None
        if isinstance(node, ast.alias):
            return self._code_of_import(reference, node)
        if isinstance(node, ast.Constant):
            words = {word.removeprefix("lib") for word in _WORD.findall(str(node.value))}
            return self._code_of_text(reference, node) if words & self.redirected.keys() else None
        return reference.code if reference.code == OF_C else None

    def _code_of_text(self, reference: Reference, node: ast.Constant) -> str | None:
        if reference.code:
            return TEXT if reference.code in (TEXT, "CCM006", PATCHED) else None
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
        skipped = self._is_kept(node, place.code)
        if skipped:
            self.silent.add(self.names.statement(node) if isinstance(node, ast.alias) else node)
        return skipped

    def _is_kept(self, node: ast.AST, code: str) -> bool:
        """Whether a comment of the program keeps a place as it is."""
        return bool(self.pragmas.refusal(self.path, node, code))

    # ------------------------------------------------------------------ text

    def _changes(self) -> Iterator[Change]:
        for loader in self.loaders:
            yield from loader.changes(self.source)
        if self.loaders and MODULE not in self._imported():
            yield self._import(f"import {MODULE}")
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

    def _import(self, line: str) -> Change:
        """Return the change that adds an import: in the place of a function that no call needs now, or at the top."""
        first = min(loader.call.lineno for loader in self.loaders)
        for statement in self.source.tree.body:
            if isinstance(statement, ast.ImportFrom) and statement.lineno < first:
                remaining = [alias for alias in statement.names if not self._is_spare(alias)]
                if len(remaining) < len(statement.names):
                    return Change(*self.source.span(statement), joined(self.source, statement, [line], remaining))
        return at_top(self.source, line)

    def _is_spare(self, alias: ast.alias) -> bool:
        """Whether nothing has read an import but the calls that are redirected, in files that import this one, too."""
        variable = self.names.of.get(alias)
        if variable is None or variable.deletions or len(variable.bindings) > 1 or not variable.loads:
            return False
        is_called = {loader.place for loader in self.loaders}.issuperset(variable.loads)
        word = re.compile(rf"\b{variable.name}\b")
        is_named = variable.name in listed(self.names) or any(word.search(source.text) for source in self.importers)
        return is_called and not is_named

    def _imported(self) -> set[str]:
        """Return the modules that the top of the file imports under their own names."""
        statements = (statement for statement in self.source.tree.body if isinstance(statement, ast.Import))
        return {alias.name for statement in statements for alias in statement.names if not alias.asname}

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

    def _opened(self, loader: Loader) -> Finding:
        span = span_of(self.source, loader.call)
        return Finding("libraries", "", Level.SAFE, self.path, span, ast.unparse(loader.call.func), "redirected", NEW)


def _package(dotted: str) -> str:
    return dotted.partition(".")[0]
