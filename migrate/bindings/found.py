"""Questions whether a library is there: the new program imports what stands for it, and is there only with that."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from migrate.bindings.tokens import Name, keys
from migrate.facts.forest import Forest
from migrate.python.scopes import FUNCTIONS
from migrate.python.values import Values

_BINDING = (*FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.ExceptHandler)
_SUSPENDING = (ast.Await, ast.Yield, ast.YieldFrom)
_MISSING, _THERE = (ast.Is, ast.Eq), (ast.IsNot, ast.NotEq)


class Found:
    """Answers for the names that libraries are opened by."""

    def __init__(self, forest: Forest, values: Values, opened: Iterable[ast.expr]) -> None:
        self._forest, self._values = forest, values
        loads = [part for name in opened for part in ast.walk(name) if isinstance(part, ast.Name)]
        self._names = {forest.of(load).of[load] for load in loads}

    def gone(self) -> Iterator[ast.stmt]:
        """Yield the statements that do nothing where every library is there, with those inside of them."""
        for _, test in self._forest.nodes(ast.If):
            above = self._forest.parents[test]
            is_alone = not test.orelse and not (isinstance(above, ast.If) and test in above.orelse)
            if is_alone and self._is_missing(test.test) and not any(map(_is_needed, ast.walk(test))):
                yield from (part for part in ast.walk(test) if isinstance(part, ast.stmt))
        for _, claim in self._forest.nodes(ast.Assert):
            if self._is_there(claim.test):
                yield claim

    def _is_missing(self, test: ast.expr) -> bool:
        """Whether a test is true only where a library is missing: `path is None`, `not path`."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
            return all(map(self._is_missing, test.values))
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._is_there(test.operand)
        return self._is_compared(test, _MISSING)

    def _is_there(self, test: ast.expr) -> bool:
        """Whether a test is true where all libraries that it asks for are there: `path`, `path is not None`."""
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            return all(map(self._is_there, test.values))
        return self._is_found(test) or self._is_compared(test, _THERE)

    def _is_compared(self, test: ast.expr, operators: tuple[type[ast.cmpop], ...]) -> bool:
        if not isinstance(test, ast.Compare) or len(test.ops) > 1 or not isinstance(test.ops[0], operators):
            return False
        other = test.comparators[0]
        return isinstance(other, ast.Constant) and other.value is None and self._is_found(test.left)

    def _is_found(self, node: ast.expr) -> bool:
        """Whether an expression is a name for what `find_library` gives, by which an old library is opened."""
        variable = self._forest.of(node).of[node] if isinstance(node, ast.Name) else None
        if variable not in self._names or variable is None or len(variable.bindings) != 1:
            return False
        statement = self._forest.parents[variable.bindings[0]]
        call = statement.value if isinstance(statement, ast.Assign) else None
        found = [*keys(self._values.of(call.func))] if isinstance(call, ast.Call) else []
        return bool(found) and all(isinstance(key, Name) and key.name == "find_library" for key in found)


def _is_needed(part: ast.AST) -> bool:
    """Whether something binds a name, or makes another kind of function of the one around it."""
    is_store = isinstance(getattr(part, "ctx", None), ast.Store | ast.Del)
    return is_store or isinstance(part, (*_BINDING, *_SUSPENDING))
