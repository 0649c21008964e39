"""Annotations in quotes: what a name in a text means where the text stands."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from migrate.facts.forest import Forest
from migrate.facts.handles import OldApi
from migrate.facts.tokens import Symbol, symbols
from migrate.python.modules import Project
from migrate.python.values import Module, Token, Value, Values


class QuotedNames:
    """Finds the old names of all files in texts that are expressions."""

    def __init__(self, forest: Forest, values: Values, api: OldApi, project: Project) -> None:
        self._forest, self._values, self._api, self._project = forest, values, api, project

    def old_name(self, place: ast.AST, part: ast.expr) -> str | None:
        """Return the old name that a name in a text at a place means, "" for the old module; None for another one."""
        return next((symbol.name for symbol in symbols(self._of(place, part))), None)

    def first(self, place: ast.AST, text: str) -> str:
        """Return the first old name in an expression, "" where there is none."""
        try:
            parts = ast.walk(ast.parse(text, mode="eval"))
        except SyntaxError:
            return ""
        return next((name for part in parts if isinstance(part, ast.expr) if (name := self.old_name(place, part))), "")

    def _of(self, place: ast.AST, part: ast.expr) -> frozenset[Value]:
        """Return what a name in a text can be."""
        found: Iterable[frozenset[Value]] = ()
        if isinstance(part, ast.Attribute):
            found = (self._taken(owner, part.attr) for owner in self._of(place, part.value))
        elif isinstance(part, ast.Name):
            variable = self._forest.of(place).scope(place).find(part.id)
            found = map(self._values.of_target, variable.bindings)
            if not variable.bindings:
                found = self._starred(self._forest.path(place), part.id, frozenset())
        return frozenset[Value]().union(*found)

    def _taken(self, owner: Value, name: str) -> frozenset[Value]:
        """Return what a module has under a name."""
        if isinstance(owner, Module) and owner.path in self._project.trees and owner.path is not None:
            inner = self._project.submodule(owner.path, name)
            found = frozenset[Value]().union(*self._of_module(owner.path, name, frozenset()))
            return found | {Module("", inner)} if inner else found
        key = owner.key if isinstance(owner, Token) else None
        is_inside = isinstance(key, Symbol) and not key.name and name in self._api.vocabulary.exports
        return frozenset({Token(Symbol(name))}) if is_inside else frozenset()

    def _of_module(self, path: Path, name: str, around: frozenset[Path]) -> Iterator[frozenset[Value]]:
        variable = self._project.names(path).module.variables.get(name)
        if variable is not None and variable.bindings:
            yield from map(self._values.of_target, variable.bindings)
        else:
            yield from self._starred(path, name, around)

    def _starred(self, path: Path, name: str, around: frozenset[Path]) -> Iterator[frozenset[Value]]:
        """Yield what star imports bring to a file under a name."""
        for star in self._project.stars(path):
            home = self._project.home(path, star)
            if home in self._project.trees and home is not None and home not in around:
                yield from self._of_module(home, name, around | {path})
            elif home is None and not star.level and (module := self._api.module(star.module or "")):
                yield self._taken(module, name)
