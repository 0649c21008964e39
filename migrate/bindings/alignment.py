"""Which parameter each argument of a call is for, where it may be of several functions, or arguments have a star."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import NamedTuple

from migrate.bindings.refusal import CALL, NotUnderstood
from migrate.old_api.vocabulary import Function, Parameter


class Row(NamedTuple):
    """An argument and what it is for in each of the functions; nothing for one with a star."""

    argument: ast.expr
    parameters: tuple[Parameter, ...]


def rows(node: ast.Call, functions: Sequence[Function]) -> list[Row]:
    """Return the arguments of a call, refused where they mean different things to functions that it may call."""
    star = star_of(node)
    if node.keywords or star is None:
        raise NotUnderstood(node, CALL)
    fitting = [function for function in functions if _fits(function, len(node.args), star < len(node.args))]
    if not fitting:
        raise NotUnderstood(node, CALL)
    aligned = [_around(function.parameters, star, len(node.args) - star - 1) for function in fitting]
    found = [Row(argument, row) for argument, row in zip(_plain(node), zip(*aligned, strict=True), strict=True)]
    is_one = all(len({_role(parameter) for parameter in row.parameters}) == 1 for row in found)
    if not is_one or any(hides_outputs(node, function) for function in fitting):
        raise NotUnderstood(node, CALL)
    if star < len(node.args):
        found.insert(star, Row(node.args[star], ()))
    return found


def star_of(node: ast.Call) -> int | None:
    """Return the place of the argument with a star, that behind all arguments if none has one, None if several have."""
    stars = [at for at, argument in enumerate(node.args) if isinstance(argument, ast.Starred)]
    return [*stars, len(node.args)][0] if len(stars) < 2 else None


def hides_outputs(node: ast.Call, function: Function) -> bool:
    """Whether a star hides an argument that a function fills."""
    star = star_of(node)
    if star is None or star == len(node.args) or not _fits(function, len(node.args), starred=True):
        return False
    seen = _around(function.parameters, star, len(node.args) - star - 1)
    return any(parameter.is_output and parameter not in seen for parameter in function.parameters)


def _plain(node: ast.Call) -> list[ast.expr]:
    return [argument for argument in node.args if not isinstance(argument, ast.Starred)]


def _fits(function: Function, given: int, starred: bool) -> bool:
    count = len(function.parameters)
    return count >= given - 1 if starred else count == given


def _around(parameters: tuple[Parameter, ...], before: int, behind: int) -> tuple[Parameter, ...]:
    """Return the parameters before and behind those of a star."""
    return parameters[:before] + parameters[len(parameters) - max(behind, 0) :]


def _role(parameter: Parameter) -> tuple[object, ...]:
    """Return what decides how an argument is passed."""
    is_text = parameter.ctype == "const char *"
    is_later = bool(parameter.callback), parameter.is_user_data
    return parameter.is_input, parameter.is_output, "*" in parameter.ctype, is_text, is_later
