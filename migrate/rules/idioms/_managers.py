"""The functions that `with` runs: `__enter__`, and generators that contextlib makes managers of."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from migrate.facts.program import Facts
from migrate.python.values import Class, Collection, External, Instance, Plain, Value

_MANAGER = {External("contextlib.contextmanager")}
# With these something may be entered that no `with` shows.
_HIDING = frozenset({"enter_context", "__enter__", "__exit__", "push"})


class Managers:
    """Answers about one project."""

    def __init__(self, facts: Facts, functions: Iterable[ast.AST]) -> None:
        self._facts = facts
        self._functions = [function for function in functions if isinstance(function, ast.FunctionDef)]
        nodes = [node for names in facts.names.values() for node in names.parents]
        self._items = [item for node in nodes if isinstance(node, ast.With) for item in node.items]
        self._is_hidden = any(isinstance(node, ast.Attribute) and node.attr in _HIDING for node in nodes)

    @cached_property
    def entered(self) -> Mapping[ast.AST, Sequence[ast.withitem]]:
        """The functions that only `with` runs, and the items that enter them."""
        found: dict[ast.AST, list[ast.withitem]] = {}
        for item in self._items:
            for value in self._facts.values.of(item.context_expr):
                if (function := self._run_by(value)) is not None:
                    found.setdefault(function, []).append(item)
        return {function: items for function, items in found.items() if self._is_seen(function, items)}

    @cached_property
    def yields(self) -> Mapping[ast.AST, Sequence[ast.AST]]:
        """Where each of the generators among them stays while the body is run."""
        return {function: list(_yields(function)) for function in self.entered}

    def _run_by(self, value: Value) -> ast.AST | None:
        if isinstance(value, Collection) and value.kind == "generator":
            return value.node
        bases = self._facts.values.bases(value.node) if isinstance(value, Instance) else ()
        nodes = (base.node for base in bases if isinstance(base, Class))
        methods = (part for node in nodes for part in node.body if isinstance(part, ast.FunctionDef))
        return next((method for method in methods if method.name == "__enter__"), None)

    def _is_seen(self, function: ast.AST, items: Sequence[ast.withitem]) -> bool:
        """Whether nothing but these items runs a function."""
        if not isinstance(function, ast.FunctionDef) or function not in self._functions:
            return False
        if function.name == "__enter__":
            known = [self._facts.values.of(item.context_expr) for item in self._items]
            return not self._is_hidden and all(values and Plain.UNKNOWN not in values for values in known)
        kinds = [self._facts.values.of(node) for node in function.decorator_list]
        own = {id(item.context_expr) for item in items}
        sites = self._facts.values.callers(function)
        is_inside = not self._facts.values.is_called_from_outside(function)
        return kinds == [_MANAGER] and is_inside and all(id(site) in own for site in sites)


def _yields(function: ast.AST) -> Iterator[ast.AST]:
    return (node for node in ast.walk(function) if isinstance(node, ast.Yield | ast.YieldFrom))
