"""Variables of other files and of classes that a program names: `from conf import *`, `conf.SIZE`, `Config.SIZE`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from migrate.facts.forest import Forest
from migrate.python.modules import Project
from migrate.python.scopes import Variable
from migrate.python.values import Class, Instance, Module, Values


class Elsewhere:
    """Finds what a name or an attribute stands for, if that is one variable of the project."""

    def __init__(self, forest: Forest, values: Values, project: Project) -> None:
        self._forest, self._values, self._project = forest, values, project

    def variable(self, node: ast.Name | ast.Attribute) -> Variable | None:
        """Return the variable of another scope that an expression is, None if it is none, or one of several."""
        found = list(self._of_name(node) if isinstance(node, ast.Name) else self._of_attribute(node))
        return found[0] if len(found) == 1 else None

    def _of_name(self, node: ast.Name) -> Iterator[Variable]:
        names = self._forest.of(node)
        path, bindings = self._forest.path(node), names.of[node].bindings
        for binding in bindings:
            statement = names.parents[binding]
            if isinstance(binding, ast.alias) and isinstance(statement, ast.ImportFrom):
                yield from self._of_module(self._project.home(path, statement), binding.name, frozenset())
        for star in () if bindings else names.module.stars:
            yield from self._of_module(self._project.home(path, star), node.id, frozenset())

    def _of_module(self, path: Path | None, name: str, around: frozenset[Path]) -> Iterator[Variable]:
        """Yield a name of a file, or of those that it has star imports of."""
        if path not in self._project.trees or path in around or path is None:
            return
        variable = self._project.names(path).module.variables.get(name)
        if variable is not None and variable.bindings:
            yield variable
            return
        for star in self._project.stars(path):
            yield from self._of_module(self._project.home(path, star), name, around | {path})

    def _of_attribute(self, node: ast.Attribute) -> Iterator[Variable]:
        for value in self._values.of(node.value):
            if isinstance(value, Module):
                yield from self._of_module(value.path, node.attr, frozenset())
            elif isinstance(value, Class | Instance):
                scope = self._forest.of(value.node).scopes[value.node]
                variable = scope.variables.get(node.attr)
                fields = variable and any(
                    isinstance(self._forest.parents[binding], ast.AnnAssign) for binding in variable.bindings
                )
                if variable and not fields:
                    yield variable
