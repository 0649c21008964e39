"""Types by which functools.singledispatch chooses a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from pathlib import Path
from typing import TypeAlias

from migrate.facts.forest import Forest
from migrate.python.values import REGISTER, Bound, Descriptor, Value, Values

_Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_dispatched(kind: ast.expr, forest: Forest, values: Values) -> bool:
    """Whether functools.singledispatch chooses by a type, which its `register` is given, or reads in an annotation."""
    return bool(generics(kind, forest, values))


def generics(kind: ast.expr, forest: Forest, values: Values) -> Set[Value]:
    """Return the functions of functools.singledispatch that choose by a type."""
    above = forest.parents[kind]
    while isinstance(above, ast.BinOp | ast.Subscript | ast.Tuple):
        above = forest.parents[above]
    if isinstance(above, ast.Call):
        return _registering(above.func, values) if kind in above.args[:1] else frozenset()
    function = forest.parents[forest.parents[above]] if isinstance(above, ast.arg) else None
    decorators = function.decorator_list if isinstance(function, _DEFINITIONS) else []
    return frozenset[Value]().union(*(_registering(decorator, values) for decorator in decorators))


def registered(generic: Value, forest: Forest, values: Values) -> Iterator[ast.expr | _Definition]:
    """Yield the functions among which one chooses: definitions, its own too, and what `register` is given."""
    definitions: list[tuple[Path, _Definition]] = [*forest.nodes(ast.FunctionDef), *forest.nodes(ast.AsyncFunctionDef)]
    for _, function in definitions:
        decorators = [part.func if isinstance(part, ast.Call) else part for part in function.decorator_list]
        made = {_whole(value) for value in values.of_target(function)}
        if generic in made or any(generic in _registering(decorator, values) for decorator in decorators):
            yield function
    for _, call in forest.calls(("register",)):
        if generic in _registering(call.func, values):
            yield from call.args


def _registering(function: ast.expr, values: Values) -> Set[Value]:
    """Return the generic functions of which an expression is `register`."""
    found = (value for value in values.of(function) if isinstance(value, Bound) and value.function == REGISTER)
    return frozenset(_whole(value.arguments[0]) for value in found)


def _whole(generic: Value) -> Value:
    """Return the generic function behind a method."""
    return generic.function if isinstance(generic, Descriptor) else generic
