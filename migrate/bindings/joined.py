"""Objects that stand for several libraries, `lib = Libraries("libdoca_common.so.2", ...)`: one library in their place.

class Libraries:
    def __getattr__(self, name):
        for library in self.libraries:
            if hasattr(library, name):
                return getattr(library, name)
        raise AttributeError(name)
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from migrate.bindings.analysis import Analysis
from migrate.bindings.removing import without
from migrate.bindings.seen import calls, is_seen
from migrate.bindings.tokens import Computed, Library, keys
from migrate.python.values import External, Plain, Value
from migrate.text.pieces import Change

_LOOKUP, _INIT = "__getattr__", "__init__"
_ASKING, _OTHERS = frozenset({"getattr", "hasattr"}), frozenset({"next", "AttributeError"})
_DISPLAYS = frozenset({External("builtins.list"), External("builtins.tuple")})
_QUIET = (
    ast.Assign,
    ast.Continue,
    ast.Expr,
    ast.For,
    ast.FunctionDef,
    ast.If,
    ast.Pass,
    ast.Raise,
    ast.Return,
    ast.Try,
)


class Joined:
    """The changes of all files of a project."""

    def __init__(self, analysis: Analysis) -> None:
        self._sources, self._forest = analysis.sources, analysis.forest
        self._classes = [node for _, node in self._forest.nodes(ast.ClassDef) if _methods(node)]
        if self._classes:
            self._values = analysis.values

    def changes(self) -> dict[Path, list[Change]]:
        """Return the changes of each file that has any."""
        found: dict[Path, list[Change]] = {}
        for node in self._classes:
            texts = {call: self._text(call, node) for call in calls(node, self._forest, self._values)}
            if texts and all(texts.values()):
                path = self._forest.path(node)
                found.setdefault(path, []).append(without(self._sources[path], self._forest, node))
                for call, text in texts.items():
                    place = self._forest.path(call)
                    found.setdefault(place, []).append(Change(*self._sources[place].span(call), text))
        return {path: sorted(changes) for path, changes in found.items()}

    def _text(self, call: ast.expr, node: ast.ClassDef) -> str:
        """Return what opens one library in the place of an object that is made; nothing where it is more than that."""
        opened = self._opened(node)
        if not isinstance(call, ast.Call) or opened is None or not self._only_looks_up(_methods(node)[_LOOKUP]):
            return ""
        if len(self._values.of(call.func)) != 1 or self._is_looked_into(node):
            return ""
        names = [text for part in (call, node) for text in _libraries(part)]
        first = opened.func.value if isinstance(opened.func, ast.Attribute) else opened.func
        given = [*opened.args[1:], *(keyword.value for keyword in opened.keywords)]
        if not names or not isinstance(first, ast.Name) or not all(isinstance(each, ast.Constant) for each in given):
            return ""
        if not is_seen(first, call, self._forest, self._values):
            return ""
        made = ast.Call(opened.func, [ast.Name(json.dumps(names[-1])), *opened.args[1:]], opened.keywords)
        return ast.unparse(made)

    def _opened(self, node: ast.ClassDef) -> ast.Call | None:
        """Return the call that opens the libraries of an object, when making it does nothing else."""
        init = _methods(node).get(_INIT)
        made = [part for part in ast.walk(init) if isinstance(part, ast.Call)] if init else []
        made = [call for call in made if not self._values.of(call.func) <= _DISPLAYS]
        found = [_keys(self._values.of(call)) for call in made]
        if not found or not all(found) or not all(isinstance(key, Library) for each in found for key in each):
            return None
        statements = init.body if init else []
        return made[-1] if all(isinstance(statement, ast.Assign) for statement in statements) else None

    def _only_looks_up(self, function: ast.FunctionDef) -> bool:
        """Whether a function returns what a library has under the name that it is given, or raises."""
        parameters = [parameter.arg for parameter in function.args.args]
        if len(parameters) != 2:
            return False
        for part in ast.walk(function):
            if isinstance(part, ast.stmt) and not isinstance(part, _QUIET):
                return False
            if isinstance(part, ast.Call) and not self._looks_up(part, parameters):
                return False
            stored = isinstance(part, ast.expr) and isinstance(getattr(part, "ctx", None), ast.Store)
            if stored and not (isinstance(part, ast.Name) and part.id not in parameters):
                return False
            if isinstance(part, ast.Return) and not (part.value and self._is_function(part.value)):
                return False
        return True

    def _is_function(self, node: ast.expr) -> bool:
        found = self._values.of(node) - {Plain.UNKNOWN}  # of getattr, by a name that nobody sees
        return bool(found) and all(isinstance(key, Computed) for key in _keys(found))

    def _looks_up(self, call: ast.Call, parameters: Sequence[str]) -> bool:
        """Whether a call asks a library for a name, or keeps what it has under that."""
        function = call.func.id if isinstance(call.func, ast.Name) else ""
        if function in _OTHERS:
            return True
        given = [ast.unparse(argument) for argument in call.args]
        asked = _keys(self._values.of(call.args[0])) if given[1:] == [parameters[1]] else []
        return function in _ASKING and bool(asked) and all(isinstance(key, Library) for key in asked)

    def _is_looked_into(self, node: ast.ClassDef) -> bool:
        """Whether something of an object is used elsewhere that no library has."""
        own = {part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)}
        inside = set(ast.walk(node))
        return any(use.attr in own for _, use in self._forest.nodes(ast.Attribute) if use not in inside)


def _methods(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    """Return the methods of a class that has these alone; nothing for every other class."""
    body = [each for each in node.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    methods = {each.name: each for each in body if isinstance(each, ast.FunctionDef) and not each.decorator_list}
    plain = len(methods) == len(body) and not node.bases and not node.keywords and not node.decorator_list
    return methods if plain and _LOOKUP in methods and methods.keys() <= {_LOOKUP, _INIT} else {}


def _keys(values: Iterable[Value]) -> list[object]:
    """Return what values stand for; None for those that are not tokens."""
    return [next(keys([value]), None) for value in values]


def _libraries(node: ast.AST) -> Iterator[str]:
    """Yield the texts that name a library of DOCA."""
    texts = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str))
    return (text for text in texts if "libdoca_" in text)
