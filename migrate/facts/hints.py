"""Whether a program looks at the types that `typing.get_type_hints` and the like give it, or at names only.

So for `__annotations__`, which has them as they are written, or their texts.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.forest import Forest
from migrate.python.values import HINT, Class, Collection, External, Function, Plain, Token, Value, Values

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

    def annotations(self) -> Iterator[ast.expr]:
        """Yield the types that are looked at in an `__annotations__`."""
        for _, node in self._forest.nodes(ast.Attribute):
            if node.attr == "__annotations__":
                for owner in self._values.of(node.value):
                    written = _written(owner.node) if isinstance(owner, Function | Class) else {}
                    keys = self._keys(node) if written else frozenset()
                    yield from (kind for name, kind in written.items() if keys is None or name in keys)

    def _keys(self, table: ast.expr) -> frozenset[object] | None:
        """Return the keys under which the types in a dictionary are looked at; None for all."""
        parent = self._forest.parents[table]
        if isinstance(parent, ast.Assign) and isinstance(target := parent.targets[0], ast.Name):
            loads = [node for node in self._forest.of(target).of[target].loads if isinstance(node, ast.expr)]
            found = [self._keys(load) for load in loads]
            return None if None in found else frozenset().union(*filter(None, found))
        if isinstance(parent, ast.Subscript) and isinstance(parent.slice, ast.Constant):
            return frozenset({parent.slice.value})
        is_named = isinstance(parent, ast.Attribute) and parent.attr == "keys"
        functions = self._values.of(parent.func) if isinstance(parent, ast.Call) else frozenset()
        is_call = bool(functions) and all(map(_takes_names_only, functions))
        is_gone_through = isinstance(parent, ast.For | ast.comprehension | ast.Compare) and self._is_harmless(table)
        return frozenset() if is_named or is_call or is_gone_through else None

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


def _written(node: ast.AST) -> dict[str, ast.expr]:
    """Return the annotations of a function's parameters and of what it returns, or of a class's attributes."""
    if isinstance(node, ast.ClassDef):
        notes = [part for part in node.body if isinstance(part, ast.AnnAssign)]
        return {part.target.id: part.annotation for part in notes if isinstance(part.target, ast.Name)}
    found = {each.arg: each.annotation for each in ast.walk(node) if isinstance(each, ast.arg) and each.annotation}
    returned = getattr(node, "returns", None)
    return {**found, "return": returned} if returned is not None else found


def _takes_names(function: Value) -> bool:
    """Whether a function is of the project, or takes the names of a dictionary only."""
    return _takes_names_only(function) or not isinstance(function, External | Plain | Token)


def _takes_names_only(function: Value) -> bool:
    return isinstance(function, External) and function.name in _NAMES_ONLY


def _expressions() -> list[type[ast.expr]]:
    return [kind for kind in ast.expr.__subclasses__() if kind is not ast.Constant]
