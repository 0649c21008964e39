"""Which code runs inside callbacks of the old library."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cached_property

from migrate.facts.forest import Forest
from migrate.old_api.calls import Call
from migrate.python.values import Bound, Function, Values


class CalledBack:
    """Follows callers up to where a function is given to the library."""

    def __init__(self, forest: Forest, values: Values, calls: Mapping[ast.Call, Call]) -> None:
        self._forest, self._values, self._calls = forest, values, calls

    def may_run(self, node: ast.AST) -> bool:
        """Whether an expression may be evaluated inside a callback."""
        todo, seen = [self._forest.of(node).function(node)], set[ast.AST]()
        while todo:
            function = todo.pop()
            if function in self._given:
                return True
            if function in seen:
                continue
            seen.add(function)
            for site in self._values.callers(function):
                if self._registers(site):
                    return True
                todo.append(self._forest.of(site).function(site))
        return False

    @cached_property
    def _given(self) -> set[ast.AST]:
        """The functions that are given to the library."""
        given = (value for call in self._calls.values() for node in _callbacks(call) for value in self._values.of(node))
        functions = (value.function if isinstance(value, Bound) else value for value in given)
        return {function.node for function in functions if isinstance(function, Function)}

    def _registers(self, site: ast.expr) -> bool:
        """Whether a call gives the library something else that calls a function."""
        call = self._calls.get(site) if isinstance(site, ast.Call) else None
        return call is not None and bool(_callbacks(call))


def _callbacks(call: Call) -> list[ast.expr]:
    parameters = call.signature.parameters
    return [call.arguments[each.name] for each in parameters if each.callback and each.name in call.arguments]
