"""Loops over rows of C functions with their arguments, `for call, *args in (...): call(*args)`, as loops over calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate.bindings.tokens import CFunction, keys
from migrate.facts.forest import Forest
from migrate.python.scopes import Kind, Variable
from migrate.python.values import External, Values

_SETATTR = External("builtins.setattr")


class Rows:
    """Finds the loops of one project in which no argument changes between the display and the call."""

    def __init__(self, forest: Forest, values: Values) -> None:
        self._forest, self._values = forest, values
        self._stores: dict[str, list[ast.Attribute]] = {}
        for _, node in forest.nodes(ast.Attribute):
            if not isinstance(node.ctx, ast.Load):
                self._stores.setdefault(node.attr, []).append(node)
        self._sets = any(_SETATTR in values.of(call.func) for _, call in forest.nodes(ast.Call))

    def loops(self) -> Iterator[tuple[ast.For, ast.Name, ast.Call, Sequence[ast.Tuple]]]:
        """Yield each loop, the name that it has for a function, the call, and the rows."""
        for _, loop in self._forest.nodes(ast.For):
            rows = self._rows(loop)
            target = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else None
            if rows and isinstance(target, ast.Name) and (call := self._call(loop, target)):
                yield loop, target, call, rows

    def _rows(self, loop: ast.For) -> Sequence[ast.Tuple]:
        """Return the rows of a loop, of different functions; nothing where one does not fit."""
        display = loop.iter.elts if isinstance(loop.iter, ast.Tuple | ast.List) else []
        rows = [row for row in display if isinstance(row, ast.Tuple) and row.elts]
        taken = [{key for key in keys(self._values.of(row.elts[0])) if isinstance(key, CFunction)} for row in rows]
        fit = all(len(found) == 1 and self._is_same(row, loop) for row, found in zip(rows, taken, strict=True))
        different = len(frozenset[CFunction]().union(*taken)) > 1
        return rows if fit and different and len(rows) == len(display) else ()

    def _call(self, loop: ast.For, target: ast.Name) -> ast.Call | None:
        """Return the one call that a loop makes of its function, with all that it takes from a row."""
        assert isinstance(loop.target, ast.Tuple)
        names = [part.value if isinstance(part, ast.Starred) else part for part in loop.target.elts]
        variables = [self._forest.of(name).of[name] for name in names if isinstance(name, ast.Name)]
        if len(variables) < len(names) or any(self._is_used_elsewhere(variable) for variable in variables):
            return None
        function = variables[0].loads[0]
        call = self._forest.parents[function]
        if not isinstance(call, ast.Call) or call.func is not function or call.keywords:
            return None
        alike = ast.unparse(ast.Tuple(call.args)) == ast.unparse(ast.Tuple(loop.target.elts[1:]))
        return call if alike and loop in self._forest.above(call) and self._is_repeated(call, loop) else None

    def _is_used_elsewhere(self, variable: Variable) -> bool:
        return len(variable.bindings) != 1 or len(variable.loads) != 1 or bool(variable.deletions)

    def _is_repeated(self, call: ast.Call, loop: ast.For) -> bool:
        """Whether a call is the loop's own, and not that of a function in it."""
        names = self._forest.of(call)
        return names.function(call) is names.function(loop)

    # ------------------------------------------------------------------ what does not change

    def _is_same(self, row: ast.Tuple, loop: ast.For) -> bool:
        """Whether the parts of a row are the same when its turn comes."""
        return all(self._stays(part, loop) for part in row.elts)

    def _stays(self, node: ast.expr, loop: ast.For) -> bool:
        if isinstance(node, ast.Name):
            variable, home = self._forest.of(node).of[node], self._forest.of(loop).function(loop)
            if variable.scope.kind is Kind.CLASS:
                return False
            return all(self._is_before(binding, loop, home) for binding in variable.bindings)
        if isinstance(node, ast.Attribute):
            stores = self._stores.get(node.attr, ())
            home = self._forest.of(loop).function(loop)
            return not self._sets and self._stays(node.value, loop) and all(
                self._is_before(store, loop, home) for store in stores)  # fmt: skip
        return isinstance(node, ast.Constant)

    def _is_before(self, store: ast.AST, loop: ast.For, home: ast.AST) -> bool:
        """Whether a store is made by the code around a loop, or by that of a module, and not while the loop runs."""
        function = self._forest.of(store).function(store)
        return isinstance(function, ast.Module) or function is home if loop not in self._forest.above(store) else False
