"""Whether bytes are among what an expression is seen to be; others may be unseen."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from migrate.facts.choices import parts
from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest
from migrate.facts.passing import given
from migrate.facts.stores import stored_value
from migrate.python.scopes import Variable
from migrate.python.values import Collection, Plain, Values

_DEPTH = 5  # from one expression to another


class SeenBytes:
    """Follows names, choices, what callers pass, attributes of that name, and the items of dictionaries."""

    def __init__(
        self,
        forest: Forest,
        values: Values,
        expressions: Expressions,
        elsewhere: Callable[[ast.Name | ast.Attribute], Variable | None],
    ) -> None:
        """elsewhere: gives the variable of another file or class that an expression names."""
        self._forest, self._values, self._expressions = forest, values, expressions
        self._elsewhere = elsewhere

    def include(self, node: ast.expr, depth: int = _DEPTH) -> bool:
        """Whether an expression may be bytes."""
        if self._values.of(node) != {Plain.NONE} and self._expressions.is_bytes(node):
            return True
        return depth > 0 and any(self.include(behind, depth - 1) for behind in self._behind(node))

    def _behind(self, node: ast.expr) -> Iterator[ast.expr]:
        """Yield what an expression may have its value from."""
        yield from parts(node, self._forest, self._expressions, self._values)
        if isinstance(node, ast.Attribute):
            stored = (each for _, each in self._forest.nodes(ast.Attribute) if each.attr == node.attr)
            yield from filter(None, (stored_value(self._forest, store) for store in stored))
        if isinstance(node, ast.Name | ast.Attribute) and (variable := self._variable(node)):
            yield from filter(None, (stored_value(self._forest, binding) for binding in variable.bindings))
            yield from (part for binding in variable.bindings for part in self._given(binding))
        if isinstance(node, ast.Subscript):
            held = (value.node for value in self._values.of(node.value) if isinstance(value, Collection))
            yield from (item for display in held if isinstance(display, ast.Dict) for item in display.values)

    def _given(self, parameter: ast.AST) -> Iterator[ast.expr]:
        """Yield what calls pass for a parameter, also those of the class of a constructor."""
        if not isinstance(parameter, ast.arg):
            return
        function = self._forest.parents[self._forest.parents[parameter]]
        for site in self._values.callers(function):
            found = given(self._values, self._forest, site, function, parameter)
            if isinstance(found, ast.expr):
                yield found

    def _variable(self, node: ast.Name | ast.Attribute) -> Variable | None:
        own = self._forest.of(node).of.get(node) if isinstance(node, ast.Name) else None
        return self._elsewhere(node) or own
