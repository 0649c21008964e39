"""Checks a rewritten file against the old one: every name that was bound where it is used is so now."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from migrate.python._children import children
from migrate.python.control import Bound
from migrate.python.scopes import COMPREHENSIONS, Kind, Variable
from migrate.python.source import Source

_RANK = {Bound.ALWAYS: 0, Bound.MAYBE: 1, Bound.NEVER: 2}
_WORDS = {Bound.MAYBE: "may be unbound here", Bound.NEVER: "is not bound here"}
_Key: TypeAlias = tuple[str, int]  # a qualified name, and which of those of that name
_IMPORTS = (ast.Import, ast.ImportFrom)
_STRAIGHT = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Pass)
# What holds statements in each kind of node, in the order of the text.
_BLOCKS: dict[type[ast.AST], tuple[str, ...]] = {
    kind: tuple(name for name in ("body", "handlers", "orelse", "finalbody", "cases") if name in kind._fields)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.stmt | ast.excepthandler | ast.match_case | ast.mod)
}
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, order=True)
class Complaint:
    """Something that is wrong in the new file and was not in the old one."""

    line: int
    name: str
    what: str


def complaints(
    old: Source,
    new: Source,
    *,
    stars: Mapping[str, frozenset[str]],
    wanted: frozenset[str] = frozenset(),
    assured: frozenset[str] = frozenset(),
) -> list[Complaint]:
    """Return what is wrong with a new text.

    stars: the names that a star import of a module gives, by the module as the file spells it (`.chan`); of others it
    is not known. wanted: the names of this file that other files import. assured: names that a guarded import binds
    and that stand where the program only comes after it has succeeded.
    """
    before, after = _Side(old, stars), _Side(new, stars)
    unbound = [it for it in _unbound(before, after) if it.name not in assured or it.what != _WORDS[Bound.MAYBE]]
    return sorted({*_lost(before, after, wanted), *_undefined(before, after), *unbound})


class _Side:
    """One of the two files."""

    def __init__(self, source: Source, stars: Mapping[str, frozenset[str]]) -> None:
        self.source = source
        self.names = source.names
        self.control = source.control
        given = [stars.get("." * star.level + (star.module or "")) for star in self.names.module.stars]
        self.is_open = None in given  # names may come from a star import of which nothing is known
        self.starred = frozenset(name for names in given if names for name in names)
        above = [self.names.parents[star] for star in self.names.module.stars]
        own = {name for name, variable in self.names.module.variables.items() if variable.bindings}
        sure = any(isinstance(place, ast.Module) for place in above) or own & self.starred  # with a fallback of its own
        self._stars = Bound.ALWAYS if sure else Bound.MAYBE
        self.keys: dict[ast.AST, _Key] = {self.names.tree: ("", 0)}  # modules, classes and functions
        self.bodies: dict[_Key, list[ast.stmt]] = {("", 0): []}  # their statements, imports left out
        self._places: dict[ast.stmt, tuple[_Key, int, str]] = {}
        self._find_bodies()
        self.nodes = {key: node for node, key in self.keys.items()}

    @cached_property
    def variables(self) -> list[Variable]:
        """The variables of all scopes that names stand for."""
        return list(dict.fromkeys(self.names.of.values()))

    def uses(self, statement: ast.stmt) -> list[ast.Name]:
        """Return the names that a statement itself reads or deletes, without those of statements in it."""
        found: list[ast.Name] = []
        todo = children(statement)[::-1]
        while todo:
            node = todo.pop()
            if isinstance(node, ast.Name):
                if not isinstance(node.ctx, ast.Store):
                    found.append(node)
            elif not isinstance(node, ast.stmt):
                todo += children(node)[::-1]
        return found

    def place(self, use: ast.Name) -> tuple[_Key, int]:
        """Return the body that a use stands in, and the number of its statement there."""
        key, number, _ = self._places[self.names.statement(use)]
        return key, number

    def state(self, use: ast.Name) -> Bound:
        """Return whether a name is bound where it is used, star imports resolved."""
        variable = self.names.of[use]
        if not variable.bindings and variable.scope.kind is Kind.MODULE:
            return self._stars if variable.name in self.starred else self.control.bound(use)
        return self.control.bound_at(variable, place) if (place := self._evaluation(use)) else self.control.bound(use)

    def _evaluation(self, use: ast.Name) -> ast.Lambda | None:
        """Return the outermost lambda that delays a use no longer than the call that it is given to."""
        place, home = None, self.names.of[use].scope.node
        for above in self.names.above(use):
            if isinstance(above, ast.stmt) or above is home:
                break
            if isinstance(above, ast.Lambda):
                call = self.names.parents[above]
                if not isinstance(call, ast.Call) or above not in call.args:
                    return None
                place = above
        return place

    def is_undefined(self, use: ast.Name) -> bool:
        """Whether nothing anywhere binds a name."""
        variable = self.names.of[use]
        known = self.is_open or variable.name in self.starred
        return not variable.bindings and not known and self.state(use) is not Bound.ALWAYS

    def undefined(self) -> Iterator[ast.Name]:
        """Iterate over the uses of names that nothing anywhere binds."""
        unbound = (variable for variable in self.variables if not variable.bindings)
        return (use for variable in unbound for use in _uses(variable) if self.is_undefined(use))

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

    def skeleton(self, key: _Key) -> list[type[ast.stmt]]:
        """Return the kinds of the statements of a body, as far as they decide on its ways."""
        kinds = map(type, self.bodies.get(key, []))
        return [ast.Expr if kind in _STRAIGHT else kind for kind in kinds]

    def bound_at(self, variable: Variable | None) -> set[tuple[_Key, int, str]]:
        """Return which statements bind and delete a variable, by their number in their body."""
        nodes = [*variable.bindings, *variable.deletions] if variable else []
        return {self._places[self.names.statement(node)] for node in nodes}

    def _find_bodies(self) -> None:
        """Number the statements of every body in the order of the text."""
        seen: Counter[str] = Counter()
        todo: list[tuple[ast.AST, _Key]] = [(self.names.tree, ("", 0))]
        while todo:
            node, outer = todo.pop()
            if isinstance(node, ast.stmt):
                self._find_place(node, outer)
            if isinstance(node, _SCOPES):
                name = f"{outer[0]}#{outer[1]}.{node.name}"
                outer = self.keys[node] = (name, seen[name])
                self.bodies[outer] = []
                seen[name] += 1
            for name in reversed(_BLOCKS[type(node)]):
                todo += [(child, outer) for child in reversed(getattr(node, name))]

    def _find_place(self, node: ast.stmt, outer: _Key) -> None:
        body = self.bodies[outer]
        is_import = isinstance(node, _IMPORTS)
        self._places[node] = (outer, len(body), ast.dump(node) if is_import else "")
        if not is_import:
            body.append(node)


def _lost(before: _Side, after: _Side, wanted: frozenset[str]) -> Iterator[Complaint]:
    """Find names that others take from the module and that it has no longer."""
    places = after.exported()
    for name in sorted({*places, *wanted}):
        if _RANK[after.at_end(name)] > _RANK[before.at_end(name)]:
            what = "is in __all__ and not bound" if name in places else "is imported by other files and not bound"
            yield Complaint(places.get(name, 1), name, what)


def _undefined(before: _Side, after: _Side) -> Iterator[Complaint]:
    known = {use.id for use in before.undefined()}
    return (Complaint(use.lineno, use.id, "is not defined") for use in after.undefined() if use.id not in known)


def _unbound(before: _Side, after: _Side) -> Iterator[Complaint]:
    """Find uses that fail on a path on which the old statement did not."""
    aligned = {key for key in after.bodies if after.skeleton(key) == before.skeleton(key)}
    settled = {variable for variable in after.variables if _is_settled(before, after, variable, aligned)}
    uses = (use for variable in after.variables if variable not in settled for use in _uses(variable))
    doubtful = (use for use in uses if after.state(use) is not Bound.ALWAYS)  # few: only their statements are compared
    for key, number in sorted({after.place(use) for use in doubtful}):
        if key in aligned:
            old, new = before.bodies[key][number], after.bodies[key][number]
            yield from _worse(before, before.uses(old), after, after.uses(new), settled)
    for key in after.bodies.keys() - aligned:
        yield from _worse(before, _all(before, key), after, _all(after, key), set())


def _is_settled(before: _Side, after: _Side, variable: Variable, aligned: set[_Key]) -> bool:
    """Whether the statements that bind a variable are those of before."""
    owner = variable.scope.node
    if isinstance(owner, (ast.Lambda, *COMPREHENSIONS)):
        return True
    key = after.keys.get(owner)
    if key is None or key not in aligned:
        return False
    if owner is after.names.tree and (variable.name in before.starred) != (variable.name in after.starred):
        return False  # a star import bound it, too
    old = before.names.scopes[before.nodes[key]].variables.get(variable.name)
    return after.bound_at(variable) == before.bound_at(old)


def _all(side: _Side, key: _Key) -> list[ast.Name]:
    return [use for statement in side.bodies.get(key, []) for use in side.uses(statement)]


def _uses(variable: Variable) -> list[ast.Name]:
    """Return the names that read or delete a variable."""
    return [use for use in (*variable.loads, *variable.deletions) if not isinstance(use.ctx, ast.Store)]


def _worse(
    before: _Side, old: list[ast.Name], after: _Side, new: list[ast.Name], settled: set[Variable]
) -> Iterator[Complaint]:
    """Compare uses with those of the statements that were there; a new name is measured by those that it replaces."""
    kept = {use.id for use in new}
    for use in new:
        if after.names.of[use] in settled or after.is_undefined(use) or after.state(use) is Bound.ALWAYS:
            continue
        if use.id in before.starred - after.starred and after.names.of[use].scope.kind is Kind.MODULE:
            yield Complaint(use.lineno, use.id, _WORDS[after.state(use)])  # what a star import bound, too
            continue
        same = [other for other in old if other.id == use.id]
        replaced = same or [other for other in old if other.id not in kept]
        if _RANK[after.state(use)] > max((_RANK[before.state(other)] for other in replaced), default=0):
            yield Complaint(use.lineno, use.id, _WORDS[after.state(use)])
