"""What a call passes for a parameter."""

from __future__ import annotations

import ast

from migrate.facts.forest import Forest
from migrate.python.scopes import FUNCTIONS
from migrate.python.values import Bound, Class, External, Values


def given(
    values: Values, forest: Forest, site: ast.AST, function: ast.AST, parameter: ast.arg
) -> ast.expr | ast.arg | None:
    """Return what a call has for a parameter of a function, when that can be seen.

    An argument, what stands before the name of a method, the caller's own object for `super()`.
    """
    if not isinstance(function, (*FUNCTIONS, ast.Lambda)) or not isinstance(site, ast.Call):
        return None
    if any(isinstance(argument, ast.Starred) for argument in site.args):
        return None
    found = values.of(site.func)
    is_made = any(isinstance(value, Class) for value in found)
    is_bound = is_made or any(isinstance(value, Bound) for value in found)
    declared = [*function.args.posonlyargs, *function.args.args]
    index = declared.index(parameter) if parameter in declared else None
    if index == 0 and is_bound:
        return None if is_made else _receiver(values, forest, site)
    named = next((keyword.value for keyword in site.keywords if keyword.arg == parameter.arg), None)
    if named or index is None:
        return named
    index -= is_bound
    return site.args[index] if index < len(site.args) else None


def _receiver(values: Values, forest: Forest, site: ast.Call) -> ast.expr | ast.arg | None:
    owner = site.func.value if isinstance(site.func, ast.Attribute) else None
    if isinstance(owner, ast.Call) and values.of(owner.func) == {External("builtins.super")}:
        caller = forest.of(site).function(site)
        parameters = caller.args.args if isinstance(caller, FUNCTIONS) else []
        return parameters[0] if parameters else None
    return owner
