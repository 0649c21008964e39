"""Checks a rewritten file against the old one: every name that was bound where it is used is so now."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from migrate.python.control import Bound, Control
from migrate.python.scopes import Kind
from migrate.python.source import Source

_RANK = {Bound.ALWAYS: 0, Bound.MAYBE: 1, Bound.NEVER: 2}
_WORDS = {Bound.MAYBE: "may be unbound here", Bound.NEVER: "is not bound here"}
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, order=True)
class Complaint:
    """Something that is wrong in the new file and was not in the old one."""

    line: int
    name: str
    what: str


def complaints(
    old: Source, new: Source, *, stars: Mapping[str, frozenset[str]], wanted: frozenset[str] = frozenset()
) -> list[Complaint]:
    """Return what is wrong with a new text.

    stars: the names that a star import of a module gives, by the module as the file spells it (`.chan`); of others it
    is not known. wanted: the names of this file that other files import.
    """
    before, after = _Side(old, stars), _Side(new, stars)
    found = [*_lost(before, after, wanted), *_undefined(before, after), *_unbound(before, after)]
    return sorted(set(found))


@dataclass
class _Body:
    """The statements of a module, class or function, imports left out, and its text."""

    node: ast.AST
    text: str
    statements: list[ast.stmt] = field(default_factory=list)


class _Side:
    """One of the two files."""

    def __init__(self, source: Source, stars: Mapping[str, frozenset[str]]) -> None:
        self.source = source
        self.names = source.names
        self.control = Control(self.names)
        given = [stars.get("." * star.level + (star.module or "")) for star in self.names.module.stars]
        self.is_open = None in given  # names may come from a star import of which nothing is known
        self.starred = frozenset(name for names in given if names for name in names)
        self.uses = [node for node in self.names.of if isinstance(node, ast.Name) and not _stores(node)]

    def state(self, use: ast.Name) -> Bound:
        """Return whether a name is bound where it is used, star imports resolved."""
        variable = self.names.of[use]
        if not variable.bindings and variable.scope.kind is Kind.MODULE and variable.name in self.starred:
            return Bound.ALWAYS
        return self.control.bound(use)

    def is_undefined(self, use: ast.Name) -> bool:
        """Whether nothing anywhere binds a name."""
        variable = self.names.of[use]
        return not variable.bindings and not self.is_open and self.state(use) is not Bound.ALWAYS

    def at_end(self, name: str) -> Bound:
        """Return whether the module has a name for others."""
        variable = self.names.module.variables.get(name)
        if name in self.starred:
            return Bound.ALWAYS
        if variable is None or not variable.bindings:
            return Bound.MAYBE if self.is_open else Bound.NEVER
        return self.control.bound_at_end(variable)

    def exported(self) -> dict[str, int]:
        """Return the names in `__all__` and their lines."""
        variable = self.names.module.variables.get("__all__")
        places = [*variable.bindings, *variable.loads] if variable else []
        parts = [part for node in places for part in ast.walk(self.names.statement(node))]
        return {
            part.value: part.lineno for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)
        }

    def bodies(self) -> dict[tuple[str, int], _Body]:
        """Return every module, class and function body by its qualified name."""
        found = {("", 0): _Body(self.names.tree, self.source.text)}
        keys: dict[ast.AST, tuple[str, int]] = {self.names.tree: ("", 0)}
        seen: Counter[str] = Counter()
        for node in self._walk():
            outer = next(keys[place] for place in self.names.above(node) if place in keys)
            if not isinstance(node, ast.Import | ast.ImportFrom):
                found[outer].statements.append(node)
            if isinstance(node, _SCOPES):
                name = f"{outer[0]}#{outer[1]}.{node.name}"
                keys[node] = (name, seen[name])
                found[keys[node]] = _Body(node, self.source.slice(node))
                seen[name] += 1
        return found

    def _walk(self) -> Iterator[ast.stmt]:
        """Iterate over all statements in the order of the text."""
        todo: list[ast.AST] = [self.names.tree]
        while todo:
            node = todo.pop()
            if isinstance(node, ast.stmt):
                yield node
            inner = [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]
            todo += reversed(inner)


def _lost(before: _Side, after: _Side, wanted: frozenset[str]) -> Iterator[Complaint]:
    """Find names that others take from the module and that it has no longer."""
    places = after.exported()
    for name in sorted({*places, *wanted}):
        if _RANK[after.at_end(name)] > _RANK[before.at_end(name)]:
            what = "is in __all__ and not bound" if name in places else "is imported by other files and not bound"
            yield Complaint(places.get(name, 1), name, what)


def _undefined(before: _Side, after: _Side) -> Iterator[Complaint]:
    known = {use.id for use in before.uses if before.is_undefined(use)}
    for use in after.uses:
        if use.id not in known and after.is_undefined(use):
            yield Complaint(use.lineno, use.id, "is not defined")


def _unbound(before: _Side, after: _Side) -> Iterator[Complaint]:
    """Find uses that fail on a path on which the old statement did not."""
    old_uses, new_uses = _by_statement(before), _by_statement(after)
    old_bodies = before.bodies()
    for key, body in after.bodies().items():
        counterpart = old_bodies.get(key, _Body(before.names.tree, ""))
        same = body.text == counterpart.text
        pairs = [(counterpart.statements, body.statements)]
        if same or list(map(type, body.statements)) == list(map(type, counterpart.statements)):
            pairs = [([old], [new]) for old, new in zip(counterpart.statements, body.statements, strict=True)]
        for old, new in pairs:
            uses = [use for statement in new for use in new_uses.get(statement, ())]
            if same:  # then only what it takes from elsewhere can be lost
                uses = [use for use in uses if after.names.of[use].scope.node is not body.node]
            yield from _worse(before, [use for statement in old for use in old_uses.get(statement, ())], after, uses)


def _by_statement(side: _Side) -> dict[ast.stmt, list[ast.Name]]:
    found: dict[ast.stmt, list[ast.Name]] = {}
    for use in side.uses:
        found.setdefault(side.names.statement(use), []).append(use)
    return found


def _worse(before: _Side, old: list[ast.Name], after: _Side, new: list[ast.Name]) -> Iterator[Complaint]:
    """Compare uses with those of the statements that were there; a new name is measured by those that it replaces."""
    kept = {use.id for use in new}
    for use in new:
        state = after.state(use)
        if state is Bound.ALWAYS or after.is_undefined(use):
            continue
        same = [other for other in old if other.id == use.id]
        replaced = same or [other for other in old if other.id not in kept]
        if _RANK[state] > max((_RANK[before.state(other)] for other in replaced), default=0):
            yield Complaint(use.lineno, use.id, _WORDS[state])


def _stores(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)
