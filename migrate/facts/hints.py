"""Whether a program looks at the types that `typing.get_type_hints` and the like give it, or at names only."""

from __future__ import annotations

import ast

from migrate.facts.forest import Forest
from migrate.python.values import HINT, Collection, External, Plain, Token, Value, Values

# What is done with the dictionary of types that shows none of them: its names are gone through, it is passed on.
_NAMES_ONLY = frozenset({"builtins.sorted", "builtins.len", "builtins.list", "builtins.set", "builtins.tuple"})
_NAMES_ONLY |= {"builtins.frozenset", "builtins.bool", "builtins.iter", "builtins.enumerate"}
_PASSED_ON = (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.comprehension)


class Hints:
    """Looks at every expression that has such types, or a dictionary of them."""

    def __init__(self, forest: Forest, values: Values) -> None:
        self._forest, self._values = forest, values

    def are_seen(self, call: ast.Call) -> bool:
        """Whether the types that a call gives are looked at anywhere, or may be."""
        given = self._values.of(call)
        if not all(isinstance(value, Collection) and value.node is call for value in given) or not given:
            return True
        expressions = [node for kind in _expressions() for _, node in self._forest.nodes(kind)]
        return any(self._shows(node, given) for node in expressions)

    def _shows(self, node: ast.expr, given: frozenset[Value]) -> bool:
        values = self._values.of(node)
        return HINT in values or (bool(values & given) and not self._is_harmless(node))

    def _is_harmless(self, node: ast.expr) -> bool:
        parent = self._forest.parents[node]
        if isinstance(parent, ast.keyword):
            parent = self._forest.parents[parent]
        if isinstance(parent, ast.Compare):
            return node is not parent.left and all(isinstance(part, ast.In | ast.NotIn) for part in parent.ops)
        if isinstance(parent, ast.Call):
            functions = self._values.of(parent.func)
            return node is not parent.func and bool(functions) and all(map(_takes_names, functions))
        if isinstance(parent, ast.Return):
            return not self._values.is_called_from_outside(self._forest.of(node).function(node))
        return isinstance(parent, _PASSED_ON)


def _takes_names(function: Value) -> bool:
    """Whether a function is of the project, or takes the names of a dictionary only."""
    if isinstance(function, External):
        return function.name in _NAMES_ONLY
    return not isinstance(function, Plain | Token)


def _expressions() -> list[type[ast.expr]]:
    return [kind for kind in ast.expr.__subclasses__() if kind is not ast.Constant]
