"""Which names of the old module a program replaces at run time: those stay old in the whole project."""

from __future__ import annotations

import ast
from pathlib import Path

from migrate.facts.forest import Forest
from migrate.facts.tokens import Symbol
from migrate.old_api.vocabulary import Vocabulary
from migrate.python.modules import Project
from migrate.python.values import Collection, External, Module, Token, Value, Values

PATCHED = "CCM080"
_SETTERS = frozenset({"setattr", "delattr", "object"})
_STORING = (ast.Assign, ast.Delete, ast.Expr)
_BY_TEXT = frozenset({"patch", "setattr", "delattr"})
_OF_TABLES = frozenset({"dict", "setitem", "delitem"})  # mock.patch.dict; monkeypatch's
_TABLE, _MODULES = ".__dict__", "sys.modules"


class Patches:
    """Collects what setattr, mock.patch, monkeypatch, assignments to a module and sys.modules replace."""

    def __init__(self, forest: Forest, values: Values, project: Project, vocabulary: Vocabulary) -> None:
        self._forest, self._values, self._project, self._vocabulary = forest, values, project, vocabulary
        self._names: set[str] = set()
        self._files: set[Path] = set()  # whose name for the old module is replaced
        self._everything = False
        for path, call in forest.nodes(ast.Call):
            self._call(path, call)
        for _, attribute in forest.nodes(ast.Attribute):
            if not isinstance(attribute.ctx, ast.Load):
                self._replace(values.of(attribute.value), attribute.attr)
        for _, constant in forest.nodes(ast.Constant):
            self._constant(constant)

    def code(self, path: Path, name: str) -> str:
        """Return the code for a name of the old module in a file that a program replaces."""
        return PATCHED if self._everything or name in self._names or path in self._files else ""

    def code_of_kind(self, kind: str) -> str:
        """Return the code for the methods of a kind of handle whose class a program patches."""
        if not self._names:  # as in most programs
            return ""
        classes = {name for name, owned in self._vocabulary.classes.items() if owned == kind}
        return PATCHED if classes & self._names else ""

    def _call(self, path: Path, node: ast.Call) -> None:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        texts = [part.value if isinstance(part, ast.Constant) else None for part in node.args[:2]]
        if called in _SETTERS and len(texts) == 2 and isinstance(texts[1], str):
            self._replace(self._values.of(node.args[0]), texts[1])
        if called in _BY_TEXT and texts and isinstance(texts[0], str):
            home, _, name = texts[0].rpartition(".")
            self._replace_in(path, home, name)
        if called == "multiple" or (called in _OF_TABLES and isinstance(node.func, ast.Attribute)):
            self._replace_several(path, node)

    def _replace_several(self, path: Path, node: ast.Call) -> None:
        """Replace what keywords, the keys of a dictionary or the key of an item name, of a module or its namespace."""
        if not node.args:
            return
        owner, named = node.args[0], {keyword.arg for keyword in node.keywords if keyword.arg}
        for value in (it for given in node.args[1:2] for it in (given, *self._displays(given))):
            keys = value.keys if isinstance(value, ast.Dict) else [value]
            named |= {key.value for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}
        home = owner.value if isinstance(owner, ast.Constant) else None
        owners = self._values.of(owner)
        if home == _MODULES or External(_MODULES) in owners:
            self._everything |= not named.isdisjoint(self._vocabulary.packages)
        for name in sorted(named):
            if isinstance(home, str):
                self._replace_in(path, home.removesuffix(_TABLE), name)
            else:
                self._replace({self._values.module_of(value) or value for value in owners}, name)

    def _displays(self, node: ast.expr) -> list[ast.AST]:
        """Return the nodes that make the dictionaries which an expression can be."""
        return [value.node for value in self._values.of(node) if isinstance(value, Collection)]

    def _constant(self, node: ast.Constant) -> None:
        """Take everything as replaced when a statement puts another old module into `sys.modules`."""
        looked_for = isinstance(self._forest.parents[node], ast.Compare)
        if isinstance(node.value, str) and node.value in self._vocabulary.packages and not looked_for:
            statement = self._forest.statement(node)
            parts = list(ast.walk(statement)) if isinstance(statement, _STORING) else []
            self._everything |= any(isinstance(part, ast.Attribute) and part.attr == "modules" for part in parts)

    def _replace_in(self, path: Path, home: str, name: str) -> None:
        """Replace `name` in the module or class that a dotted text names."""
        if self._vocabulary.module(home) is not None:
            self._names.add(name)
            return
        module, _, owner = home.rpartition(".")
        if self._vocabulary.module(module) is not None:  # a method: all objects of the class stay
            self._names.add(owner)
            return
        parts = home.split(".")
        for count in range(len(parts), 0, -1):
            file = self._project.resolve(path, ".".join(parts[:count]))
            if file is not None and file in self._project.trees:
                self._replace_below(file, [*parts[count:], name])
                return

    def _replace_below(self, file: Path, parts: list[str]) -> None:
        variable = self._project.names(file).module.variables.get(parts[0])
        if len(parts) == 1:
            self._replace({Module("", file)}, parts[0])
        elif variable and variable.bindings:
            self._replace(self._values.of_target(variable.bindings[0]), parts[1])

    def _replace(self, owners: frozenset[Value] | set[Value], name: str) -> None:
        """Replace an attribute of any of some values."""
        for owner in owners:
            if isinstance(owner, Token) and isinstance(owner.key, Symbol):
                self._names.add(owner.key.name or name)
            elif isinstance(owner, Module) and owner.path in self._project.trees and owner.path is not None:
                variable = self._project.names(owner.path).module.variables.get(name)
                for value in self._values.of_target(variable.bindings[0]) if variable and variable.bindings else ():
                    if isinstance(value, Token) and isinstance(value.key, Symbol):
                        self._names.add(value.key.name)
                        self._files |= {owner.path} if not value.key.name else set()
