"""Values of structs of DOCA 1.2 to 1.4, as programs make them: objects of the old module's classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from migrate.bindings import shapes
from migrate.bindings.numbers import Numbers
from migrate.bindings.refusal import USE, NotUnderstood
from migrate.bindings.tokens import Data, Shape
from migrate.facts.forest import Forest
from migrate.old_api._tables import STRUCTS
from migrate.python.values import Values
from migrate.text.code import Template

_Given = tuple[object, ast.expr]  # a field, and what it is to be


class StructValues:
    """Makes the edits of what makes structs."""

    def __init__(self, forest: Forest, values: Values, numbers: Numbers) -> None:
        self._forest, self._values, self._numbers = forest, values, numbers

    def new(self, node: ast.Call, data: Data, contents: ast.expr | None) -> Template:
        """Return the object for a struct of cffi: `ffi.new("struct T *", fields)`. contents: the fields, if given."""
        name = shapes.ctype(data.ctype).name
        if data.shape is Shape.CELL:
            return _cell(node, f"{{module}}.{name}", [contents] if contents else [])
        given = self._fields(name, contents) if contents else []
        self._check(name, given, node)
        text = ", ".join(f"{field}={{{field}}}" for field, _ in given)
        return Template(f"{{module}}.{name}({text})", {str(field): value for field, value in given})

    def _fields(self, name: str, node: ast.expr) -> list[_Given]:
        """Return the fields that cffi takes from a dict, or in their order."""
        if isinstance(node, ast.Dict):
            return [(getattr(key, "value", None), value) for key, value in zip(node.keys, node.values, strict=True)]
        if isinstance(node, ast.List | ast.Tuple):
            return _in_order(name, node.elts)
        raise NotUnderstood(node, USE)

    def called(self, node: ast.Call, name: str) -> tuple[ast.expr, Template] | None:
        """Return the edit of a call of the class that a program of ctypes has for a struct, if it needs one."""
        if shapes.of_struct(name)[0] is Shape.CELL:
            return node, _cell(node, "{function}", [*node.args, *node.keywords])
        self._check(name, [*_in_order(name, node.args), *self._named(node.keywords)], node)
        return None

    def _named(self, keywords: Sequence[ast.keyword]) -> Iterator[_Given]:
        for keyword in keywords:
            if keyword.arg:
                yield keyword.arg, keyword.value
            else:
                yield from self._rest(keyword.value)

    def _rest(self, node: ast.expr) -> Iterator[_Given]:
        """Yield what callers pass to a function for its `**rest`, which is passed on."""
        bound = self._forest.of(node).of[node].bindings if isinstance(node, ast.Name) else ()
        function = self._forest.of(node).function(node)
        arguments = function.args if isinstance(function, ast.FunctionDef) else None
        sites = self._values.callers(function)
        if arguments is None or list(bound) != [arguments.kwarg] or not sites:
            raise NotUnderstood(node, USE)
        own = {parameter.arg for parameter in (*arguments.args, *arguments.kwonlyargs)}
        for site in sites:
            is_seen = isinstance(site, ast.Call) and all(keyword.arg for keyword in site.keywords)
            if not isinstance(site, ast.Call) or not is_seen or self._values.is_called_from_outside(function):
                raise NotUnderstood(node, USE)
            yield from ((keyword.arg, keyword.value) for keyword in site.keywords if keyword.arg not in own)

    def _check(self, name: str, given: Sequence[_Given], node: ast.Call) -> None:
        """Refuse what is no field, or a number that does not fit."""
        kinds: dict[object, str] = dict(STRUCTS[name])
        for field, value in given:
            if field not in kinds or isinstance(value, ast.Starred):
                raise NotUnderstood(node, USE)
            self._numbers.check(value, kinds[field])


def _in_order(name: str, given: Sequence[ast.expr]) -> list[_Given]:
    return [*zip((field for field, _ in STRUCTS[name]), given, strict=False)]


def _cell(node: ast.Call, made: str, given: Sequence[ast.AST]) -> Template:
    """Return a cell with a struct that is filled later."""
    if given:
        raise NotUnderstood(node, USE)
    return Template(f"[{made}()]", {"function": node.func} if made == "{function}" else {})
