"""Names of Python's own in the words of the edits, where the program has them for itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from migrate.bindings.analysis import Analysis
from migrate.python.scopes import Kind, Scope
from migrate.python.values import Module


class OwnNames:
    """Answers for one project."""

    def __init__(self, analysis: Analysis) -> None:
        self._project, self._forest, self._values = analysis.project, analysis.forest, analysis.values

    def is_hidden(self, node: ast.AST, name: str) -> bool:
        """Whether a name that is written where a node stands is the program's own."""
        path = self._forest.path(node)
        scopes = list(_visible(self._forest.of(node).scope(node)))
        scopes += [self._project.names(home).module for home in self._project.starred(path)]
        variables = [scope.variables[name] for scope in scopes if name in scope.variables]
        return name in self._stored or any(variable.bindings or variable.declarations for variable in variables)

    @cached_property
    def _stored(self) -> frozenset[str]:
        """The names that the program stores in modules."""
        stores = (node for _, node in self._forest.nodes(ast.Attribute) if not isinstance(node.ctx, ast.Load))
        return frozenset(node.attr for node in stores if any(map(_is_module, self._values.of(node.value))))


def _is_module(value: object) -> bool:
    return isinstance(value, Module)


def _visible(scope: Scope | None) -> Iterator[Scope]:
    """Yield the scopes whose names are seen in a scope: those of a class only in its own body."""
    first = scope
    while scope is not None:
        if scope is first or scope.kind is not Kind.CLASS:
            yield scope
        scope = scope.parent
