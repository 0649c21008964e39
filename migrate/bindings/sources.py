"""Where a name, a parameter or an attribute has its values from, when the program shows all of it."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from functools import cached_property

from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest
from migrate.facts.passing import given
from migrate.facts.stores import stored_attributes
from migrate.python.scopes import FUNCTIONS
from migrate.python.values import Instance, Plain, Values


class Sources:
    """Answers for one project."""

    def __init__(self, forest: Forest, values: Values, expressions: Expressions) -> None:
        self._forest, self._values, self._expressions = forest, values, expressions

    def of(self, node: ast.expr) -> list[ast.expr]:
        """Return all expressions of which an expression has its value, nothing where there may be others."""
        bindings: list[ast.AST] = []
        if isinstance(node, ast.Attribute):
            bindings = self._stores(node)
        elif isinstance(node, ast.Name) and self._expressions.binds_all(variable := self._forest.of(node).of[node]):
            bindings = variable.bindings
        found = [part for binding in bindings for part in self._brought(binding)]
        return [] if None in found else [part for part in found if part is not None]

    def _stores(self, node: ast.Attribute) -> list[ast.AST]:
        """Return what stores to an attribute of objects of the program, nothing where something else may."""
        owners = self._values.of(node.value)
        is_hidden = None in self._stored or node.attr in self._of_classes or not self._expressions.is_simple(node)
        if is_hidden or not owners or not all(isinstance(owner, Instance) for owner in owners):
            return []
        stores = self._by_attribute[node.attr]
        return stores if self._stored[node.attr] == len(stores) else []

    def _brought(self, binding: ast.AST) -> list[ast.expr | None]:
        """Return what a binding brings, None for what is not seen."""
        if not isinstance(binding, ast.arg):
            return [self._expressions.brought(binding)]
        function = self._forest.parents[self._forest.parents[binding]]
        calls = self._values.callers(function)
        is_open = self._values.is_called_from_outside(function) or self._values.is_called_by_python(function)
        if not isinstance(function, FUNCTIONS) or is_open or Plain.UNKNOWN in self._values.of_target(binding):
            return [None]
        passed = [given(self._values, self._forest, call, function, binding) for call in calls]
        return [part if isinstance(part, ast.expr) else None for part in passed]

    @cached_property
    def _stored(self) -> Counter[str | None]:
        return Counter(stored_attributes(self._forest))

    @cached_property
    def _by_attribute(self) -> dict[str, list[ast.AST]]:
        found = defaultdict[str, list[ast.AST]](list)
        for _, node in self._forest.nodes(ast.Attribute):
            if not isinstance(node.ctx, ast.Load):
                found[node.attr].append(node)
        return found

    @cached_property
    def _of_classes(self) -> frozenset[str]:
        """The names in the bodies of classes."""
        scopes = (self._forest.of(node).scopes[node] for _, node in self._forest.nodes(ast.ClassDef))
        return frozenset(name for scope in scopes for name in scope.variables)
