"""What cffi shows callbacks of their arguments: a `bool` is True or False where the library has a number."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.bindings.declarations import Declarations
from migrate.bindings.knowledge import callback_type
from migrate.bindings.refusal import USE, NotUnderstood
from migrate.bindings.tokens import CFFI, CFunction, Maker, Member, keys
from migrate.facts.forest import Forest
from migrate.python.values import Bound, Function, Value, Values
from migrate.text.code import Template

Edit = tuple[ast.expr, Template] | NotUnderstood


class Shown:
    """The edits of one project."""

    def __init__(self, forest: Forest, values: Values, declarations: Declarations) -> None:
        self._forest, self._values, self._declarations = forest, values, declarations

    def edits(self) -> Iterator[Edit]:
        """Yield the edits of what callbacks read, and the places that have none."""
        for _, function in self._forest.nodes(ast.FunctionDef):
            if any(self._is_maker(decorator) for decorator in function.decorator_list):
                yield from self._of(function, function.decorator_list[0], callback_type(function), 0)
        for _, call in self._forest.nodes(ast.Call):
            found = [*keys(self._values.of(call.func))]
            if any(isinstance(key, Member) and key.name == "callback" for key in found) and len(call.args) > 1:
                yield from self._made(call, call.args[0], call.args[1])
            elif isinstance(call.func, ast.Call) and self._is_maker(call.func) and call.args and call.func.args:
                yield from self._made(call, call.func.args[0], call.args[0])
            elif any(map(_is_maker, found)) and call.args and self._declarations.is_shown:
                yield NotUnderstood(call, USE)

    def returned(self) -> Iterator[NotUnderstood]:
        """Yield the calls whose True and False would be numbers."""
        for _, call in self._forest.nodes(ast.Call):
            found = (key for key in keys(self._values.of(call.func)) if isinstance(key, CFunction))
            declared = any(key.spelling == CFFI and key.name in self._declarations.truths for key in found)
            if declared and not isinstance(self._forest.parents[call], ast.Expr | ast.If | ast.While):
                yield NotUnderstood(call, USE)

    def _is_maker(self, node: ast.expr) -> bool:
        return any(map(_is_maker, keys(self._values.of(node))))

    def _made(self, node: ast.expr, kind: ast.expr, function: ast.expr) -> Iterator[Edit]:
        text = kind.value if isinstance(kind, ast.Constant) else ""
        for value in self._values.of(function):
            inner = _function(value)
            if inner is not None:
                yield from self._of(inner, node, str(text), int(isinstance(value, Bound)))

    def _of(self, function: ast.FunctionDef | ast.Lambda, node: ast.expr, kind: str, first: int) -> Iterator[Edit]:
        """Yield the edits of one function; first: its parameter for the first argument."""
        if not kind and self._declarations.is_shown:
            yield NotUnderstood(node, USE)
        names = [*function.args.posonlyargs, *function.args.args][first:]
        for place, shown in enumerate(self._declarations.shown(kind)):
            parameter = names[place] if place < len(names) else function.args.vararg
            variable = self._forest.of(parameter).of[parameter] if parameter else None
            if not shown or variable is None or not variable.loads:
                continue
            if shown != "bool" or place >= len(names) or len(variable.bindings) != 1:
                yield NotUnderstood(node, USE)
                continue
            for load in variable.loads:
                if isinstance(load, ast.Name):
                    yield load, Template(f"bool({load.id})")


def _is_maker(key: object) -> bool:
    return isinstance(key, Maker) and key.spelling == CFFI


def _function(value: Value) -> ast.FunctionDef | ast.Lambda | None:
    inner = value.function if isinstance(value, Bound) else value
    node = inner.node if isinstance(inner, Function) else None
    return node if isinstance(node, ast.FunctionDef | ast.Lambda) else None
