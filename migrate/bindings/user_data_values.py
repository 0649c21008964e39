"""Variables with user data in programs of ctypes: numbers in the place of the program's own doca_data.

data = doca_data()                               data = 0
data.u64 = 5                                     data = 5
lib.doca_ctx_set_user_data(ctx, data)            lib.doca_ctx_set_user_data(ctx, data)

data = doca_data()                               data = c_uint64()
lib.doca_ctx_get_user_data(ctx, byref(data))     lib.doca_ctx_get_user_data(ctx, byref(data))
print(data.u64)                                  print(data.value)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from migrate.bindings.analysis import Analysis
from migrate.bindings.knowledge import REFERENCES
from migrate.bindings.numbers import Numbers
from migrate.bindings.refusal import NotUnderstood
from migrate.bindings.seen import calls, is_seen
from migrate.bindings.tokens import CFunction, Name, keys
from migrate.bindings.user_data import is_union, types_at_start
from migrate.facts.expressions import Expressions
from migrate.python.scopes import Kind, Variable
from migrate.python.values import Plain
from migrate.text.pieces import Change

_FIELD, _KIND = "u64", "c_uint64"


class _Unknown(Exception):
    """Something else than a number that is stored, read, or kept with a handle."""


class UserDataValues:
    """The changes of all files of a project."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis, self._forest = analysis, analysis.forest
        listed = (node for _, node in self._forest.nodes(ast.ClassDef) if _FIELD in ast.unparse(node))
        self._classes = [node for node in listed if is_union(node, analysis.values)]
        if self._classes:
            expressions = Expressions(self._forest, analysis.values, frozenset(), analysis.vocabulary)
            self._numbers = Numbers(self._forest, analysis.values, expressions)

    def changes(self) -> dict[Path, list[Change]]:
        """Return the changes of each file that has any."""
        found: dict[Path, list[Change]] = {}
        for node in self._classes:
            kind = types_at_start(node, self._analysis.values).get(_FIELD)
            made = {call: self._variable(call) for call in calls(node, self._forest, self._analysis.values)}
            for variable in {variable: None for variable in made.values() if variable and kind}:
                places = [call for call, its in made.items() if its is variable and isinstance(call, ast.Call)]
                try:
                    changes = list(self._changed(variable, places, kind if self._is_filled(variable) else None))
                except _Unknown:
                    continue
                path = self._forest.path(variable.bindings[0])
                found.setdefault(path, []).extend(changes)
        return {path: sorted(changes) for path, changes in found.items()}

    def _variable(self, call: ast.expr) -> Variable | None:
        """Return the variable of which an assignment stores what a call makes."""
        above = self._forest.parents[call]
        target = above.targets[0] if isinstance(above, ast.Assign) and len(above.targets) == 1 else None
        return self._forest.of(target).of[target] if isinstance(target, ast.Name) else None

    def _is_filled(self, variable: Variable) -> bool:
        """Whether something refers to a variable, or code of another function stores a field of it."""
        home = self._forest.of(variable.bindings[0]).function(variable.bindings[0])
        return any(
            self._is_referred(above)
            if isinstance(above := self._forest.parents[load], ast.Call)
            else isinstance(getattr(above, "ctx", None), ast.Store) and self._forest.of(load).function(load) is not home
            for load in variable.loads
        )

    def _changed(self, variable: Variable, places: list[ast.Call], kind: ast.expr | None) -> Iterator[Change]:
        """Yield the changes of what makes the values of a variable, and of its uses. kind: the type of C of a cell."""
        importers = self._analysis.project.importers[self._forest.path(variable.bindings[0])]
        is_shared = variable.scope.kind is Kind.MODULE and bool(importers)
        if is_shared or variable.scope.kind is Kind.CLASS or len(places) < len(variable.bindings) or variable.deletions:
            raise _Unknown
        for call in places:
            given = self._given(call)
            text = "".join(self._analysis.sources[self._forest.path(part)].slice(part) for part in given)
            yield self._change(call, f"{self._named(kind, call)}({text})" if kind else text or "0")
        for load in variable.loads:
            place = self._forest.parents[load]
            if isinstance(place, ast.Attribute) and isinstance(load, ast.Name):
                self._check_field(place)
            elif isinstance(place, ast.Call) and self._is_referred(place):
                continue
            elif not isinstance(place, ast.Call) or not isinstance(load, ast.Name) or not self._is_kept(place, load):
                raise _Unknown
            yield self._change(place if isinstance(place, ast.Attribute) else load, f"{load.id}{'.value' * bool(kind)}")

    def _change(self, node: ast.expr, text: str) -> Change:
        return Change(*self._analysis.sources[self._forest.path(node)].span(node), text)

    def _given(self, call: ast.Call) -> list[ast.expr]:
        """Return what a value is made with: a number, or nothing."""
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        fields = {keyword.arg for keyword in call.keywords}
        if len(given) > 1 or not fields <= {_FIELD} or not all(map(self._is_number, given)):
            raise _Unknown
        return given

    def _named(self, kind: ast.expr, place: ast.expr) -> str:
        """Return the text of a type that a class names, where it means the same in another place."""
        first = kind.value if isinstance(kind, ast.Attribute) else kind
        if not isinstance(first, ast.Name) or not is_seen(first, place, self._forest, self._analysis.values):
            raise _Unknown
        return ast.unparse(kind)

    def _check_field(self, place: ast.Attribute) -> None:
        """Refuse what is not the number, or what stores something else there."""
        above = self._forest.parents[place]
        is_stored = isinstance(above, ast.Assign) and place in above.targets and self._is_number(above.value)
        if place.attr != _FIELD or not (isinstance(place.ctx, ast.Load) or is_stored):
            raise _Unknown

    def _is_number(self, node: ast.expr) -> bool:
        """Whether an expression fits, and has nothing of C: ctypes takes values of C for a field."""
        try:
            self._numbers.check(node, _KIND)
        except NotUnderstood:
            return False
        found = self._analysis.values.of(node)
        return all(value is Plain.OTHER for value in found) and not isinstance(node, ast.Starred)

    def _is_referred(self, call: ast.Call) -> bool:
        """Whether a call gives a pointer to what it is given."""
        names = [key.name if isinstance(key, Name) else "" for key in keys(self._analysis.values.of(call.func))]
        return bool(names) and len(call.args) == 1 and REFERENCES.issuperset(names)

    def _is_kept(self, call: ast.Call, argument: ast.AST) -> bool:
        """Whether a call keeps an argument with a handle."""
        found = self._analysis.values.of(call.func)
        functions = [self._analysis.vocabulary.flat[key.name] for key in keys(found) if isinstance(key, CFunction)]
        at = next((at for at, part in enumerate(call.args) if part is argument), None)
        is_star = any(isinstance(part, ast.Starred) for part in call.args)
        if at is None or is_star or not functions or len(functions) < len(found):
            return False
        given = [function.parameters[at : at + 1] for function in functions]
        return all(parameter and parameter[0].is_user_data and not parameter[0].is_output for parameter in given)
