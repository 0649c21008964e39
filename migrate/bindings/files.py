"""The files of a project that call C, made flat: all that share a library together, or none of them."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from migrate.bindings.analysis import Analysis
from migrate.bindings.flatten import Flattening
from migrate.bindings.forwarding import Forwarding
from migrate.bindings.joined import Joined
from migrate.bindings.relaying import Relaying
from migrate.bindings.spelled_out import SpelledOut
from migrate.bindings.structs import OwnStructs
from migrate.bindings.tokens import Computed, Ffi, Maker, Member, Name, Package, Struct, keys
from migrate.bindings.user_data import is_union
from migrate.bindings.user_data_values import UserDataValues
from migrate.facts.libraries import Cause
from migrate.python.known_calls import NAMESPACES, RUNNING
from migrate.python.listing import listed
from migrate.python.source import Located, Source, Unreadable
from migrate.text.pieces import Change, splice
from migrate.text.removal import Removal

NOT_GIVEN, ROOM = "CCM049", "CCM048"
_SPELLINGS = ("cffi", "ctypes")
_LOOKING_UP = NAMESPACES | RUNNING  # read variables that are not named


class Flat(NamedTuple):
    """A file made flat, with the changes that made it so."""

    old: Source
    source: Source
    changes: Sequence[Change]
    earlier: Flat | None = None  # whose text the changes are of, if it is not the old one

    def before(self, start: int, end: int) -> tuple[int, int]:
        """Return where in the old text a piece of the new one comes from; the whole change where it is not there."""
        place = self._in_text(start, end)
        return self.earlier.before(*place) if self.earlier else place

    def _in_text(self, start: int, end: int) -> tuple[int, int]:
        (first, change), (last, _) = self._before(start), self._before(end)
        if change is None or last > change.end:
            return first, max(first, last)
        piece = self.source.text[start:end]
        text = (self.earlier.source if self.earlier else self.old).text
        at = text.find(piece, change.start, change.end)
        return (at, at + len(piece)) if at >= 0 else (change.start, change.end)

    def _before(self, offset: int) -> tuple[int, Change | None]:
        """Return the place of an offset in the old text, and the change that it is in."""
        ends = list(accumulate(change.start - change.end + len(change.text) for change in self.changes))
        starts = [change.start + moved for change, moved in zip(self.changes, [0, *ends], strict=False)]
        at = bisect_right(starts, offset) - 1
        if at < 0:
            return offset, None
        change, start = self.changes[at], starts[at]
        return (change.start, change) if offset < start + len(change.text) else (offset - ends[at], None)


def old_node(flat: Flat, node: ast.AST) -> ast.AST:
    """Return the smallest expression or statement of the old text where a node of the new one comes from."""
    new = flat.source
    start, end = new.span(node) if isinstance(node, Located) else (0, 0)
    offset = flat.before(start, end)[0]

    def around() -> Iterator[tuple[int, int, ast.AST]]:
        for at, place in enumerate(ast.walk(flat.old.tree)):
            if isinstance(place, ast.expr | ast.stmt):
                start, end = flat.old.span(place)
                if start <= offset < end:
                    yield end - start, -at, place

    return min(around(), key=lambda found: found[:2], default=(0, 0, flat.old.tree.body[0]))[2]


class Group(NamedTuple):
    """Files that change together: made flat, or the cause of why they are not."""

    paths: tuple[Path, ...]
    files: Mapping[Path, Flat]
    cause: Cause | None = None

    def failed(self, cause: Cause) -> Group:
        """Return the group as it stays because of a cause."""
        return Group(self.paths, {}, cause)


def groups(sources: Mapping[Path, Source], given: frozenset[Path], width: int | None) -> list[Group]:
    """Return the groups of a project's files that call the old C libraries."""
    if not any(spelling in source.text for source in sources.values() for spelling in _SPELLINGS):
        return []
    analysis, earlier = Analysis(sources), dict[Path, Flat]()
    for reader in (
        OwnStructs,
        UserDataValues,
        Joined,
        Forwarding,
        Relaying,
        Relaying,
    ):  # helpers may be called by helpers
        analysis = _changed(analysis, reader(analysis).changes(), earlier)
    spelled_out = SpelledOut(analysis)
    analysis = _changed(analysis, spelled_out.changes(), earlier)
    flattening = Flattening(analysis, frozenset(spelled_out.declared))
    return list(_Files(flattening, given, width, earlier).groups())


def _changed(analysis: Analysis, changes: Mapping[Path, list[Change]], earlier: dict[Path, Flat]) -> Analysis:
    """Return the analysis of the sources with some changes, which `earlier` takes up; the same one without any."""
    made_new: dict[Path, Source] = {}
    for path, found in changes.items():
        source, before = analysis.sources[path], earlier.get(path)
        try:
            made = Source(source.encode(splice(source.text, found)))
        except Unreadable:  # inside of an f-string
            continue
        earlier[path] = Flat(before.old if before else source, made, found, before)
        made_new[path] = made
    return Analysis({**analysis.sources, **made_new}) if made_new else analysis


class _Files:
    def __init__(
        self, flattening: Flattening, given: frozenset[Path], width: int | None, earlier: Mapping[Path, Flat]
    ) -> None:
        self._flattening, self._given, self._width, self._earlier = flattening, given, width, earlier
        names = (flattening.project.names(path) for path in flattening.sources)
        statements = (node for each in names for node in each.imports if isinstance(node, ast.ImportFrom))
        self._imported = {alias.name for node in statements for alias in node.names}
        self._needed = self._kept()

    def _kept(self) -> frozenset[tuple[Path, str]]:
        """Return the names of files that are exported, or imported and not read: none of them may go."""
        todo = [key for path in self._flattening.sources for key in self._wanted(path)]
        found: set[tuple[Path, str]] = set()
        while todo:
            path, name = key = todo.pop()
            if key not in found:
                found.add(key)
                variable = self._flattening.project.names(path).module.variables.get(name)
                aliases = [it for it in variable.bindings if isinstance(it, ast.alias)] if variable else []
                todo += [key for alias in aliases for key in self._taken_by(path, alias)]
        return frozenset(found)

    def _wanted(self, path: Path) -> Iterator[tuple[Path, str]]:
        names = self._flattening.project.names(path)
        yield from ((path, name) for name in listed(names))
        aliases = (node for node in names.of if isinstance(node, ast.alias) and not names.of[node].loads)
        yield from (key for alias in aliases for key in self._taken_by(path, alias))

    def _taken_by(self, path: Path, alias: ast.alias) -> Iterator[tuple[Path, str]]:
        """Yield what an import takes from another file of the project."""
        statement = self._flattening.project.names(path).parents[alias]
        home = self._flattening.project.home(path, statement) if isinstance(statement, ast.ImportFrom) else None
        if home in self._flattening.sources and home is not None:
            yield home, alias.name

    def groups(self) -> Iterator[Group]:
        """Yield every group."""
        for paths in self._flattening.groups():
            yield self._group(tuple(paths))

    def _group(self, paths: tuple[Path, ...]) -> Group:
        group = Group(paths, {})
        for path in paths:
            if problem := self._flattening.refused.get(path):
                return group.failed(self._cause(path, problem.node, problem.code))
            if path not in self._given:
                return group.failed(self._cause(path, self._flattening.sources[path].tree.body[0], NOT_GIVEN))
        files: dict[Path, Flat] = {}
        for path in paths:
            made = self._made(path)
            if isinstance(made, Cause):
                return group.failed(made)
            files[path] = made
        return Group(paths, files)

    def _made(self, path: Path) -> Flat | Cause:
        source, names = self._flattening.sources[path], self._flattening.project.names(path)
        edits, gone = self._flattening.edits(path)
        removal = Removal(
            source, names, edits, gone, self._spare(path), dict(self._stars(path)),
            self._flattening.libraries.module(path), self._width,
        )  # fmt: skip
        changes = removal.changes()
        if removal.troubles:
            return self._cause(path, removal.troubles[0].node, removal.troubles[0].code)
        changes = sorted([*changes, *self._flattening.cuts.get(path, ())])
        text = splice(source.text, changes)
        try:
            made = Source(source.encode(text))
        except Unreadable:
            return self._cause(path, source.tree.body[0], ROOM)
        before = self._earlier.get(path)
        return Flat(before.old if before else source, made, changes, before)

    def _cause(self, path: Path, node: ast.AST, code: str) -> Cause:
        """Return a cause at its place in the old text."""
        earlier = self._earlier.get(path)
        return Cause(path, old_node(earlier, node) if earlier else node, code)

    def _spare(self, path: Path) -> Iterator[ast.alias | ast.Name | ast.ClassDef]:
        """Yield what binds names of cffi and ctypes, and the texts that they read: it goes with its last use."""
        names, values = self._flattening.project.names(path), self._flattening.values
        for binding in names.of:
            if isinstance(binding, ast.alias) and (path, binding.asname or binding.name) not in self._needed:
                found = list(keys(values.of_target(binding)))
                of_struct = () if (binding.asname or binding.name) in self._imported else (Struct,)
                kinds, dropped = (Package, Name, *of_struct), self._flattening.dropped()
                if any(isinstance(key, kinds) or key in dropped for key in found):
                    yield binding
            elif isinstance(binding, ast.ClassDef) and is_union(binding, values):
                yield binding
            elif isinstance(binding, ast.Name) and isinstance(binding.ctx, ast.Store):
                statement = names.parents[binding]
                whole = isinstance(statement, ast.Assign) and statement.targets == [binding]
                is_free = whole and (path, binding.id) not in self._needed
                if is_free and isinstance(statement, ast.Assign) and self._is_spare(binding, statement.value):
                    yield binding

    def _stars(self, path: Path) -> Iterator[tuple[ast.alias, frozenset[str]]]:
        """Yield the star imports of ctypes that no other file needs, nor what looks names up; with what they bring."""
        import ctypes  # here: few programs ask for its names

        project, brought = self._flattening.project, frozenset(vars(ctypes))
        looks_up = (node for node in project.names(path).of if isinstance(node, ast.Name) and node.id in _LOOKING_UP)
        taken = {name for user in project.importers[path] for name in self._taken(user, path)}
        if any(looks_up) or not taken.isdisjoint(brought | {"*"}):
            return
        for statement in project.names(path).module.stars:
            if statement.module == "ctypes" and not statement.level:
                yield statement.names[0], brought

    def _taken(self, user: Path, path: Path) -> Iterator[str]:
        """Yield the names that a file may take from another one."""
        project = self._flattening.project
        for node in ast.walk(project.trees[user]):
            if isinstance(node, ast.ImportFrom) and project.home(user, node) == path:
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.Attribute):
                yield node.attr

    def _is_spare(self, binding: ast.Name, value: ast.expr) -> bool:
        """Whether an assignment can go with the uses of its name: an FFI object, a type, what is declared."""
        found = list(keys(self._flattening.values.of(value)))
        if any(isinstance(key, Ffi) for key in found):
            return any(key in self._flattening.dropped() for key in found)
        declares = binding in self._flattening.declared() and self._flattening.libraries.is_plain(value)
        return (
            declares or any(isinstance(key, Name | Maker | Member | Computed) for key in found)
        ) and binding.id not in self._imported
