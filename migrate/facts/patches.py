"""Which names of the old module a program replaces at run time: those stay old in the whole project."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from migrate.facts.forest import Forest, last_name
from migrate.facts.tokens import Symbol
from migrate.old_api.vocabulary import Vocabulary
from migrate.python._looping import looped
from migrate.python.modules import Project
from migrate.python.values import Collection, External, Module, Token, Value, Values

PATCHED = "CCM080"
_SETTERS = frozenset({"setattr", "delattr", "object"})
_STORING = (ast.Assign, ast.Delete, ast.Expr)
_BY_TEXT = frozenset({"patch", "setattr", "delattr"})
_OF_TABLES = frozenset({"dict", "setitem", "delitem"})  # mock.patch.dict; monkeypatch's
_PARAMETERS = ("target", "in_dict", "dic", "attribute", "name", "values")
_TABLE, _MODULES = ".__dict__", "sys.modules"
_ALL = "*"

Place: TypeAlias = tuple[Path, ast.AST, str]  # file, node, and "": why no run settles it


class Patches:
    """Collects what setattr, mock.patch, monkeypatch, assignments to a module and sys.modules replace, and where."""

    def __init__(self, forest: Forest, values: Values, project: Project, vocabulary: Vocabulary) -> None:
        self._forest, self._values, self._project, self._vocabulary = forest, values, project, vocabulary
        self._found: dict[str | Path, Place] = {}  # names of the old module; files whose name for it is replaced; _ALL
        self._given: dict[ast.AST, Place] = {}  # what such a call is given
        for path, call in forest.nodes(ast.Call):
            given = _arguments(call)
            shown = next((it for it in given if isinstance(_text(it), str)), next(iter(given), call))
            self._note(self._call(path, call), (path, shown, ""), given)
        for path, attribute in forest.nodes(ast.Attribute):
            if not isinstance(attribute.ctx, ast.Load):
                found = self._replaced(values.of(attribute.value), attribute.attr)
                self._note(found, (path, attribute, ""))
        for path, constant in forest.nodes(ast.Constant):
            self._note(self._constant(constant), (path, constant, ""), [constant])

    def _note(self, found: Iterable[str | Path], place: Place, given: Iterable[ast.AST] = ()) -> None:
        if replaced := list(found):
            self._found = {**dict.fromkeys(replaced, place), **self._found}
            self._given |= dict.fromkeys(given, place)

    def place(self, path: Path, name: str, node: ast.AST) -> Place | None:
        """Return where a program replaces the name of the old module that stands in a file."""
        return self.given(node) or next((self._found[key] for key in (_ALL, name, path) if key in self._found), None)

    def given(self, node: ast.AST) -> Place | None:
        """Return the place where a program replaces something, for what the call there is given."""
        return self._given.get(node)

    def place_of_kind(self, kind: str) -> Place | None:
        """Return where a program patches the class of a kind of handle, whose methods stay."""
        if not self._found:  # as in most programs
            return None
        classes = (name for name, owned in self._vocabulary.classes.items() if owned == kind)
        return next((self._found[name] for name in classes if name in self._found), None)

    def _call(self, path: Path, node: ast.Call) -> Iterator[str | Path]:
        called = last_name(node.func)
        first, second = [*_arguments(node), None, None][:2]
        if called in _SETTERS and first is not None and isinstance(name := _text(second), str):
            yield from self._replaced(self._values.of(first), name)
        if called in _BY_TEXT and first is not None:
            for text in filter(_is_dotted, self._texts(first)):
                home, _, name = text.rpartition(".")
                yield from self._replaced_in(path, home, name)
        if called == "multiple" or (called in _OF_TABLES and isinstance(node.func, ast.Attribute)):
            yield from self._several(path, node)

    def _texts(self, node: ast.expr) -> list[str]:
        """Return what a target can be, of one that is put together with what is not written the end: `.Endpoint`."""
        end = node.values[-1] if isinstance(node, ast.JoinedStr) and node.values else getattr(node, "right", None)
        ending = _text(end)
        return looped(node, self._forest.of(node)) or ([ending] if isinstance(ending, str) else [])

    def _several(self, path: Path, node: ast.Call) -> Iterator[str | Path]:
        """Yield what keywords, the keys of a dictionary or the key of an item name, of a module or its namespace."""
        owner, table = [*_arguments(node), None, None][:2]
        named = {keyword.arg for keyword in node.keywords if keyword.arg}
        for value in (table, *self._displays(table)) if table else ():
            keys = value.keys if isinstance(value, ast.Dict) else [value]
            named |= {text for key in keys if isinstance(text := _text(key), str)}
        home, owners = _text(owner), self._values.of(owner) if owner else frozenset()
        if home == _MODULES or External(_MODULES) in owners:
            for name in sorted(named):
                yield from self._module(path, name)
        for name in sorted(named):
            if isinstance(home, str):
                yield from self._replaced_in(path, home.removesuffix(_TABLE), name)
            else:
                yield from self._replaced({self._values.module_of(value) or value for value in owners}, name)

    def _module(self, path: Path, name: str) -> Iterator[str | Path]:
        """Yield what goes with a whole module: of the old API everything, of the project its names."""
        if name in self._vocabulary.packages:
            yield _ALL
        file = self._project.resolve(path, name)
        for each in self._project.names(file).module.variables if file in self._project.trees and file else ():
            yield from self._replaced({Module("", file)}, each)

    def _displays(self, node: ast.expr) -> list[ast.AST]:
        """Return the nodes that make the dictionaries which an expression can be."""
        return [value.node for value in self._values.of(node) if isinstance(value, Collection)]

    def _constant(self, node: ast.Constant) -> Iterator[str | Path]:
        """Yield what goes with the module whose name stands in a statement that stores to `sys.modules`."""
        looked_for = isinstance(self._forest.parents[node], ast.Compare)
        if not isinstance(node.value, str) or looked_for:
            return
        if node.value in self._vocabulary.packages or self._is_key(node):
            statement = self._forest.statement(node)
            parts = list(ast.walk(statement)) if isinstance(statement, _STORING) else []
            if any(isinstance(part, ast.Attribute) and part.attr == "modules" for part in parts):
                yield from self._module(self._forest.path(node), node.value)

    def _is_key(self, node: ast.Constant) -> bool:
        """Whether a text is the key under which something is stored or deleted."""
        item = self._forest.parents[node]
        return isinstance(item, ast.Subscript) and not isinstance(item.ctx, ast.Load)

    def _replaced_in(self, path: Path, home: str, name: str) -> Iterator[str | Path]:
        """Yield what goes with `name` in the module or class that a dotted text names."""
        if self._vocabulary.module(home) is not None:
            yield name
            return
        module, _, owner = home.rpartition(".")
        if self._vocabulary.module(module) is not None:  # a method: all objects of the class stay
            yield owner
            return
        parts = home.split(".")
        for file in () if home else self._project.trees:  # whichever it is
            yield from self._replaced({Module("", file)}, name)
        for count in range(len(parts), 0, -1):
            found = self._project.resolve(path, ".".join(parts[:count]))
            if found is not None and found in self._project.trees:
                yield from self._replaced_below(found, [*parts[count:], name])
                return

    def _replaced_below(self, file: Path, parts: list[str]) -> Iterator[str | Path]:
        variable = self._project.names(file).module.variables.get(parts[0])
        if len(parts) == 1:
            yield from self._replaced({Module("", file)}, parts[0])
        elif variable and variable.bindings:
            yield from self._replaced(self._values.of_target(variable.bindings[0]), parts[1])

    def _replaced(self, owners: frozenset[Value] | set[Value], name: str) -> Iterator[str | Path]:
        """Yield what goes with an attribute of any of some values."""
        for owner in owners:
            if isinstance(owner, Token) and isinstance(owner.key, Symbol):
                yield owner.key.name or name
            elif isinstance(owner, Module) and owner.path in self._project.trees and owner.path is not None:
                variable = self._project.names(owner.path).module.variables.get(name)
                for value in self._values.of_target(variable.bindings[0]) if variable and variable.bindings else ():
                    if isinstance(value, Token) and isinstance(value.key, Symbol):
                        yield value.key.name or owner.path


def _arguments(call: ast.Call) -> list[ast.expr]:
    """Return the first arguments of a call, those too that are given by the names which these functions have."""
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    return [*call.args[:2], *(named[name] for name in _PARAMETERS if name in named)]


def _is_dotted(text: str) -> bool:
    return "." in text


def _text(node: ast.AST | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None
