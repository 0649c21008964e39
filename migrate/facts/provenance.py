"""Where the names of a program come from: imports, files of the project, assignments."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from migrate.facts.forest import Forest
from migrate.python.modules import Project
from migrate.python.values import Module, Plain, Value, Values


class Provenance:
    """Says of names, across files, what brings or binds them."""

    def __init__(self, forest: Forest, values: Values, project: Project) -> None:
        self._forest, self._values, self._project = forest, values, project

    def is_name(self, node: ast.expr | None) -> bool:
        """Whether an expression is a name that an import brings, or one taken from such a module."""
        if isinstance(node, ast.Attribute):
            values = self._values.of(node.value)
            owned = bool(values) and all(isinstance(value, Module) and value.path is not None for value in values)
            return owned or self.is_name(node.value)
        if not isinstance(node, ast.Name):
            return False
        bindings = self._forest.of(node).of[node].bindings
        return all(isinstance(each, ast.alias) or _is_none(self._forest.parents[each]) for each in bindings)

    def is_passed_on(self, node: ast.expr) -> bool:
        """Whether a name comes from a file of the project that has it by an assignment, where its value changes."""
        return any(True for _ in self.origins(node))

    def origins(self, node: ast.expr) -> Iterator[ast.AST]:
        """Iterate over the assignments and definitions in other files of the project that a name comes from."""
        if isinstance(node, ast.Attribute):
            homes = [value.path for value in self._values.of(node.value) if isinstance(value, Module) and value.path]
            yield from chain.from_iterable(self._assigned(home, node.attr) for home in homes)
            yield from self.origins(node.value)
        elif isinstance(node, ast.Name):
            path, bindings = self._forest.path(node), self._forest.of(node).of[node].bindings
            origins = self._taken_from(path, node.id, bindings)
            yield from chain.from_iterable(self._assigned(*origin) for origin in origins)

    def brought(self, path: Path, node: ast.alias) -> Iterator[ast.AST]:
        """Iterate over what assigns or defines what an import of a file of the project brings."""
        origins = self._taken_from(path, node.name, [node])
        return chain.from_iterable(self._assigned(*origin) for origin in origins)

    def _assigned(self, home: Path, name: str, around: frozenset[tuple[Path, str]] = frozenset()) -> Iterator[ast.AST]:
        """Iterate over what assigns or defines a name of a file, or of others that it takes it from."""
        if home not in self._project.trees or (home, name) in around:  # files may import each other
            return
        names = self._project.names(home)
        bindings = names.module.variables[name].bindings if name in names.module.variables else []
        yield from (it for it in bindings if not isinstance(it, ast.alias) and not _is_none(names.parents[it]))
        around |= {(home, name)}
        for origin in self._taken_from(home, name, bindings):
            yield from self._assigned(*origin, around)

    def _taken_from(self, path: Path, name: str, bindings: Sequence[ast.AST]) -> Iterator[tuple[Path, str]]:
        """Iterate over the files that a name of a file may come from, by imports or a star, with its name there."""
        statements = [(self._forest.parents[it], it) for it in bindings]
        taken = [(at, it.name) for at, it in statements if isinstance(at, ast.ImportFrom) and isinstance(it, ast.alias)]
        for statement, there in taken if bindings else [(star, name) for star in self._project.stars(path)]:
            if (home := self._project.home(path, statement)) is not None:
                yield home, there

    def is_own(self, binding: ast.AST) -> bool:
        """Whether a binding is not an import, or one of what a file of the project has made."""
        statement = self._forest.parents[binding]
        if not isinstance(binding, ast.alias) or not isinstance(statement, ast.ImportFrom):
            return not isinstance(binding, ast.alias)
        home = self._project.resolve(self._forest.path(binding), statement.module or "")
        made = home is not None and Plain.UNKNOWN not in self._values.of_target(binding)
        return bool(statement.level) or made

    def is_starred(self, node: ast.Name, found: frozenset[Value]) -> bool:
        """Whether a name is what a file of the project has made, brought by `from file import *`."""
        names = self._forest.of(node)
        path = self._forest.path(node)
        starred = any(self._project.resolve(path, star.module or "", star.level) for star in names.module.stars)
        return starred and not names.of[node].bindings and bool(found) and Plain.UNKNOWN not in found


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and node.value.value is None
