"""Types by which functools.singledispatch chooses a function."""

from __future__ import annotations

import ast

from migrate.facts.forest import Forest
from migrate.python.values import REGISTER, Bound, Values


def is_dispatched(kind: ast.expr, forest: Forest, values: Values) -> bool:
    """Whether functools.singledispatch chooses by a type, which its `register` is given, or reads in an annotation."""
    above = forest.parents[kind]
    while isinstance(above, ast.BinOp | ast.Subscript | ast.Tuple):
        above = forest.parents[above]
    if isinstance(above, ast.Call):
        return kind in above.args[:1] and _registers(above.func, values)
    function = forest.parents[forest.parents[above]] if isinstance(above, ast.arg) else None
    decorators = function.decorator_list if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) else []
    return any(_registers(decorator, values) for decorator in decorators)


def _registers(function: ast.expr, values: Values) -> bool:
    return any(isinstance(value, Bound) and value.function == REGISTER for value in values.of(function))
