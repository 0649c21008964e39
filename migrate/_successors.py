"""What becomes of a project's programs that call C: on the new library, or as they are with the cause."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from migrate import codes
from migrate._findings import span_of
from migrate._pragmas import Pragmas
from migrate.bindings.refusal import NotUnderstood
from migrate.codes import CODES
from migrate.facts.forest import last_name
from migrate.facts.libraries import OPENED, Cause
from migrate.outcome import FileOutcome, Finding, Level, Span
from migrate.python.modules import Project
from migrate.python.source import Located, Source, Unreadable
from migrate.successors import words
from migrate.successors.program import PYTHON, Program
from migrate.text.pieces import Change, splice

RULE, FIRST, NOT_GIVEN = "spelling", "CCM120", "CCM049"
_OLD = re.compile(r"doca_cc|doca-cc")
_LIBRARY = re.compile(r"libdoca_|-ldoca_|[\"']doca_\w+[\"']")
_FIRST = re.compile(r"doca_comm_channel")
_FIRST_LIBRARY = re.compile(r"(?<!\w)(?:lib)?doca_comm_channel(?!\w)")
_PACKAGES = frozenset({"cffi", "ctypes"})
_BUILDING = ("set_source", "Extension", "ext_modules", "cffi_modules")


def outcomes(sources: Mapping[Path, Source], given: frozenset[Path]) -> dict[Path, FileOutcome]:
    """Return the outcome of every file of a program that calls the old libraries in C, given or not."""
    found: dict[Path, FileOutcome] = {}
    for family in _families(sources):
        files = {path: sources[path] for path in family}
        if _is_of_c(files) and not _is_skipped(files):
            found |= _Family(files, given).outcomes()
    return found


def _families(sources: Mapping[Path, Source]) -> Iterator[list[Path]]:
    """Yield the files that imports connect, also by a module that one of them has cffi compile."""
    project = Project({path: source.tree for path, source in sources.items()})
    compiled = {name: path for path, source in sources.items() for name in _compiled(source)}
    near: dict[Path, set[Path]] = {path: {*project.imports[path], *project.importers[path]} for path in sources}
    for path, source in sources.items():
        for statement in source.names.imports:
            home = compiled.get(statement.module or "") if isinstance(statement, ast.ImportFrom) else None
            if home is not None:
                near[path].add(home)
                near[home].add(path)
    left = dict.fromkeys(sorted(sources))
    while left:
        border, family = [next(iter(left))], []
        while border:
            path = border.pop()
            if path in left:
                del left[path]
                family.append(path)
                border += near[path]
        yield sorted(family)


def _compiled(source: Source) -> Iterator[str]:
    if "set_source" in source.text:
        for call in ast.walk(source.tree):
            if isinstance(call, ast.Call) and last_name(call.func) == "set_source":
                yield from (str(name.value) for name in call.args[:1] if isinstance(name, ast.Constant))


def _is_of_c(files: Mapping[Path, Source]) -> bool:
    """Whether files open a library of DOCA, or are linked with one; it may be the new one already."""
    statements = (statement for source in files.values() for statement in source.names.imports)
    imported = {name.partition(".")[0] for statement in statements for name in _names(statement)}
    builds = any(word in source.text for word in _BUILDING for source in files.values())
    if _PACKAGES.isdisjoint(imported) and not builds:
        return False
    names_old = any(words.is_old(source.text) or _FIRST.search(source.text) for source in files.values())
    return any(_LIBRARY.search(source.text) for source in files.values()) or (names_old and imported.isdisjoint(PYTHON))


def _names(statement: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    return [statement.module or ""]


def _is_skipped(files: Mapping[Path, Source]) -> bool:
    """Whether a file asks to leave something of it alone: then all stays that shares the library with it."""
    pragmas = Pragmas(files, {path: source.names for path, source in files.items()})
    found = (pragma for path in files for at in pragmas.comments[path].pragmas.values() for pragma in at)
    return any(pragma.covers(OPENED) for pragma in found)


class _Family:
    """The files of one program."""

    def __init__(self, files: Mapping[Path, Source], given: frozenset[Path]) -> None:
        self._files, self._given = files, given
        self._pragmas = Pragmas(files, {path: source.names for path, source in files.items()})

    def outcomes(self) -> dict[Path, FileOutcome]:
        """Return the outcome of each file."""
        changes: dict[Path, list[Change]] = {}
        causes: list[tuple[Cause, re.Pattern[str]]] = []  # each with what stays because of it
        if any(words.is_old(source.text) for source in self._files.values()):
            program = Program(self._files)
            try:
                changes = program.changes()
                self._check_given(changes)
            except NotUnderstood as problem:
                changes = {}
                causes.append((Cause(program.path(problem.node), problem.node, problem.code), _OLD))
        if first := self._first():
            causes.append((first, _FIRST))
        return {path: self._outcome(path, changes.get(path, []), causes) for path in self._files}

    def _check_given(self, changes: Mapping[Path, list[Change]]) -> None:
        for path, found in changes.items():
            if found and path not in self._given and self._files[path].tree.body:
                raise NotUnderstood(self._files[path].tree.body[0], NOT_GIVEN)

    def _outcome(
        self, path: Path, changes: list[Change], causes: Sequence[tuple[Cause, re.Pattern[str]]]
    ) -> FileOutcome:
        source = self._files[path]
        findings, wanted = [self._changed(path, change) for change in changes], dict[int, str]()
        for cause, old in causes:
            if cause.path == path:
                findings.append(self._stays(cause))
                wanted[self._pragmas.lines[path].first(cause.node)] = cause.code
            elif match := old.search(source.text):
                findings.append(self._follows(path, match.span(), cause))
        comments = [*self._pragmas.comments[path].changes(wanted, codes.comment)] if path in self._given else []
        new = source.encode(splice(source.text, [*comments, *changes]))
        try:
            Source(new)
        except Unreadable as error:  # a change that no text of a program should lead to
            raise AssertionError(f"{path}: {error}") from error
        return FileOutcome(path, source.data, new, tuple(sorted(findings, key=lambda finding: finding.span)))

    def _first(self) -> Cause | None:
        """Return where the library of generation 1 is named first, else a function of it."""
        places = [
            (not _FIRST_LIBRARY.search(text), path, node)
            for path, source in self._files.items()
            for node in ast.walk(source.tree)
            if isinstance(node, ast.Attribute | ast.Constant) and _FIRST.search(text := _text(node))
        ]
        if not places:
            return None
        _, path, node = min(places, key=lambda place: place[0])
        return Cause(path, node, FIRST)

    def _changed(self, path: Path, change: Change) -> Finding:
        old = self._files[path].text[change.start : change.end] or change.text.strip(", ")
        return Finding(RULE, "", Level.SAFE, path, self._span(path, *change[:2]), old, "rewritten", change.text)

    def _stays(self, cause: Cause) -> Finding:
        path, node, code, _ = cause
        assert isinstance(node, Located)
        span, name = span_of(self._files[path], node), getattr(node, "attr", "") or "the program"
        return Finding(RULE, code, Level.MANUAL, path, span, name, CODES[code].title)

    def _follows(self, path: Path, place: tuple[int, int], cause: Cause) -> Finding:
        home, node, code, _ = cause
        assert isinstance(node, Located)
        because = home, span_of(self._files[home], node)
        where = f"line {because[1].line} of {home}"
        name = self._files[path].text[slice(*place)]
        message = f"not rewritten because {where} ({code}) was not"
        return Finding(RULE, code, Level.MANUAL, path, self._span(path, *place), name, message, because=because)

    def _span(self, path: Path, start: int, end: int) -> Span:
        source = self._files[path]
        return Span(*source.position(start), *source.position(end))


def _text(node: ast.Attribute | ast.Constant) -> str:
    """Return the name of an attribute, or a text."""
    return node.attr if isinstance(node, ast.Attribute) else str(node.value)
