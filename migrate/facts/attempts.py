"""Which places may be tried for the AttributeError of an object that lacks a method."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.facts.forest import Forest, last_name
from migrate.python.values import External, Values

_ANYTHING = frozenset({External("builtins.Exception"), External("builtins.BaseException")})
_LACKS = External("builtins.AttributeError")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SWALLOWING = frozenset({"suppress", "raises", "assertRaises"})


class Attempts:
    """Answers for places: where the error is named, callers count; where any error is caught, only what is around."""

    def __init__(self, forest: Forest, values: Values) -> None:
        self._forest, self._values = forest, values

    def include(self, node: ast.AST) -> bool:
        """Whether a handler or context manager around a place may be there for the error."""
        return self._is_tried(node, {}, is_own=True)

    def _is_tried(self, node: ast.AST, seen: dict[ast.AST, None], *, is_own: bool) -> bool:
        inner = node
        for above in self._forest.above(node):
            if any(self._catches(caught, is_own=is_own) for caught in _caught(above, inner)):
                return True
            if isinstance(above, _FUNCTIONS):
                callers = () if above in seen else self._values.callers(above)
                seen[above] = None
                return any(self._is_tried(caller, seen, is_own=False) for caller in callers)
            inner = above
        return False

    def _catches(self, caught: ast.expr | None, *, is_own: bool) -> bool:
        parts = caught.elts if isinstance(caught, ast.Tuple) else [caught] if caught else []
        values = {value for part in parts for value in self._values.of(part)}
        return _LACKS in values or (is_own and (caught is None or not _ANYTHING.isdisjoint(values)))


def _caught(above: ast.AST, inner: ast.AST) -> Iterator[ast.expr | None]:
    """Yield the classes of errors that a statement catches of what its body raises; None for all."""
    if hasattr(above, "handlers") and inner in getattr(above, "body", ()):
        yield from (handler.type for handler in above.handlers)
    elif isinstance(above, ast.With | ast.AsyncWith):
        for item in above.items:
            if isinstance(item.context_expr, ast.Call) and last_name(item.context_expr.func) in _SWALLOWING:
                yield from item.context_expr.args
