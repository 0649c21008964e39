"""Functions that C calls, as functions of Python: their exceptions go no further, as they did not pass through C."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrate.python.values import Bound, Function, Plain, Value
from migrate.text.code import Template

GONE = Template("")  # in the place of a decorator that goes with its line
_QUIET = (ast.Pass, ast.Global, ast.Nonlocal)


def decorator(function: ast.FunctionDef, maker: ast.expr) -> Template:
    """Return what stands in the place of the decorator that makes a function one that C can call."""
    if parts := _onerror(maker):
        return Template("{comch}.unraisable(onerror={onerror})", parts)
    return Template("{comch}.unraisable") if _may_raise(function) else GONE


def called_back(node: ast.expr, functions: Iterable[Value], maker: ast.expr) -> Template:
    """Return what stands in the place of an expression that makes a function one that C can call."""
    if parts := _onerror(maker):
        return Template("{comch}.unraisable({function}, onerror={onerror})", {"function": node, **parts})
    found = [value.function if isinstance(value, Bound) else value for value in functions]
    quiet = bool(found) and all(
        value is Plain.NONE or (isinstance(value, Function) and not _may_raise(value.node)) for value in found
    )
    return Template("{function}" if quiet else "{comch}.unraisable({function})", {"function": node})


def _onerror(maker: ast.expr) -> dict[str, ast.expr]:
    """Return the function that cffi is given for what a callback raises."""
    given = maker.keywords if isinstance(maker, ast.Call) else []
    return {keyword.arg: keyword.value for keyword in given if keyword.arg == "onerror"}


def _may_raise(function: ast.AST) -> bool:
    """Whether the body of a function does more than to pass on names and constants."""
    return not isinstance(function, ast.FunctionDef) or not all(map(_is_quiet, function.body))


def _is_quiet(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Assign):
        return all(isinstance(target, ast.Name) for target in statement.targets) and _is_constant(statement.value)
    if isinstance(statement, ast.Return | ast.Expr):
        return statement.value is None or _is_constant(statement.value)
    return isinstance(statement, _QUIET)


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)
