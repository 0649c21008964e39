"""Checks a rewritten file against the old one: every name that was bound where it is used is still bound there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from migrate.python._above import doubtful, reads
from migrate.python._bindings import given
from migrate.python._children import children
from migrate.python.control import Bound
from migrate.python.listing import listed
from migrate.python.scopes import COMPREHENSIONS, Kind, Variable
from migrate.python.source import Source
from migrate.text._bodies import Bodies, Key

_RANK = {Bound.ALWAYS: 0, Bound.MAYBE: 1, Bound.NEVER: 2}
_WORDS = {Bound.MAYBE: "may be unbound here", Bound.NEVER: "is not bound here"}


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
    brought: frozenset[str] = frozenset(),
) -> list[Complaint]:
    """Return what is wrong with a new text.

    stars: the names that a star import of a module gives, by the module as the file spells it (`.chan`); of others it
    is not known. wanted: the names of this file that other files import. assured: names that a guarded import binds
    and that stand where the program only comes after it has succeeded. brought: names that star imports of other files
    bind in any case.
    """
    before, after = _Side(old, stars, brought), _Side(new, stars, brought)
    unbound = [it for it in _unbound(before, after) if it.name not in assured or it.what != _WORDS[Bound.MAYBE]]
    return sorted({*_lost(before, after, wanted), *_undefined(before, after), *unbound})


class _Side:
    """One of the two files."""

    def __init__(self, source: Source, stars: Mapping[str, frozenset[str]], brought: frozenset[str]) -> None:
        self.source, self._brought = source, brought
        self.names = source.names
        self.control = source.control
        given = [stars.get("." * star.level + (star.module or "")) for star in self.names.module.stars]
        self.is_open = None in given  # names may come from a star import of which nothing is known
        self.starred = frozenset(name for names in given if names for name in names)
        above = [self.names.parents[star] for star in self.names.module.stars]
        own = {name for name, variable in self.names.module.variables.items() if variable.bindings}
        sure = any(isinstance(place, ast.Module) for place in above) or own & self.starred  # with a fallback of its own
        self._stars = Bound.ALWAYS if sure else Bound.MAYBE

    @cached_property
    def bodies(self) -> Bodies:
        """The bodies of the file; most need no look at them."""
        return Bodies(self.source)

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

    def state(self, use: ast.Name) -> Bound:
        """Return whether a name is bound where it is used, star imports resolved."""
        variable = self.names.of[use]
        if not variable.bindings and variable.scope.kind is Kind.MODULE:
            if variable.name in self._brought:
                return Bound.ALWAYS
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
        return (use for variable in unbound for use in reads(variable) if self.is_undefined(use))

    def at_end(self, name: str) -> Bound:
        """Return whether the module has a name for others."""
        variable = self.names.module.variables.get(name)
        if name in self.starred:
            return Bound.ALWAYS
        if variable is None or not variable.bindings:
            return Bound.MAYBE if self.is_open else Bound.NEVER
        return self.control.bound_at_end(variable)


def _lost(before: _Side, after: _Side, wanted: frozenset[str]) -> Iterator[Complaint]:
    """Find names that others take from the module and that it has no longer."""
    places = listed(after.names)
    for name in sorted({*places, *wanted}):
        if _RANK[after.at_end(name)] > _RANK[before.at_end(name)]:
            what = "is in __all__ and not bound" if name in places else "is imported by other files and not bound"
            yield Complaint(places.get(name, 1), name, what)


def _undefined(before: _Side, after: _Side) -> Iterator[Complaint]:
    known = {use.id for use in before.undefined()}
    return (Complaint(use.lineno, use.id, "is not defined") for use in after.undefined() if use.id not in known)


def _unbound(before: _Side, after: _Side) -> Iterator[Complaint]:
    """Find uses that fail on a path on which the old statement did not."""
    unsure = {variable: uses for variable in after.variables if (uses := _unsure(after, variable))}
    if not unsure:
        return
    old, new = before.bodies, after.bodies
    aligned = {key for key in new.statements if new.skeleton(key) == old.skeleton(key)}
    settled = {it for it in after.variables if it not in unsure or _is_settled(before, after, it, aligned)}
    left = (use for variable, uses in unsure.items() if variable not in settled for use in uses)
    failing = (use for use in left if after.state(use) is not Bound.ALWAYS)  # few: only their statements are compared
    for key, number in sorted({new.place(use) for use in failing}):
        if key in aligned:
            was, now = old.statements[key][number], new.statements[key][number]
            yield from _worse(before, before.uses(was), after, after.uses(now), settled)
    for key in new.statements.keys() - aligned:
        yield from _worse(before, _all(before, key), after, _all(after, key), set())


def _unsure(side: _Side, variable: Variable) -> list[ast.Name]:
    """Return the uses of a variable that are not seen at once to be bound."""
    own = isinstance(variable.scope.node, (ast.Lambda, *COMPREHENSIONS))  # which end before a statement does
    return [] if own or given(variable) is Bound.ALWAYS else doubtful(side.names, variable)


def _is_settled(before: _Side, after: _Side, variable: Variable, aligned: set[Key]) -> bool:
    """Whether the statements that bind a variable are those of before."""
    owner = variable.scope.node
    key = after.bodies.keys.get(owner)
    if key is None or key not in aligned:
        return False
    if owner is after.names.tree and (variable.name in before.starred) != (variable.name in after.starred):
        return False  # a star import bound it, too
    old = before.names.scopes[before.bodies.nodes[key]].variables.get(variable.name)
    return after.bodies.bound_at(variable) == before.bodies.bound_at(old)


def _all(side: _Side, key: Key) -> list[ast.Name]:
    return [use for statement in side.bodies.statements.get(key, []) for use in side.uses(statement)]


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
