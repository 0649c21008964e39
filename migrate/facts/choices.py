"""The constants that an expression can be: items of a loop, sides of a choice, what callers pass or branches store."""

from __future__ import annotations

import ast

from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest
from migrate.python.values import Bound, Function, Values


def parts(node: ast.expr, forest: Forest, expressions: Expressions, values: Values) -> list[ast.expr]:
    """Return what an expression is one of; nothing for one that is not a choice."""
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    if found := _items(node, forest, expressions) or passed(node, forest, values):
        return found
    bound = expressions.all_values(node)
    return bound if len(bound) > 1 or any(isinstance(value, ast.IfExp) for value in bound) else []


def _items(node: ast.expr, forest: Forest, expressions: Expressions) -> list[ast.expr]:
    """Return what a loop goes through whose target a name is."""
    variable = forest.of(node).of[node] if isinstance(node, ast.Name) else None
    if variable is None or len(variable.bindings) != 1 or not expressions.binds_all(variable):
        return []
    target = variable.bindings[0]
    above = forest.parents[target]
    whole = forest.parents[above] if isinstance(above, ast.Tuple) and isinstance(target, ast.expr) else None
    if isinstance(whole, ast.Assign) and isinstance(above, ast.Tuple) and isinstance(whole.value, ast.Tuple):
        sides = above.elts, whole.value.elts
        stars = any(isinstance(each, ast.Starred) for side in sides for each in side)
        is_plain = len(sides[0]) == len(sides[1]) and not stars
        return [sides[1][sides[0].index(target)]] if is_plain and isinstance(target, ast.Name) else []
    if not isinstance(above, ast.For | ast.comprehension) or above.target is not target:
        return []
    return above.iter.elts if isinstance(above.iter, ast.Tuple | ast.List) else []


def passed(node: ast.expr, forest: Forest, values: Values) -> list[ast.expr]:
    """Return what callers pass for a parameter, and its default where one leaves it; nothing where one is unseen."""
    variable = forest.of(node).of[node] if isinstance(node, ast.Name) else None
    parameter = variable.bindings[0] if variable and len(variable.bindings) == 1 else None
    function = forest.parents[forest.parents[parameter]] if isinstance(parameter, ast.arg) else None
    if not isinstance(function, ast.FunctionDef) or values.is_called_from_outside(function):
        return []
    found = [_given(site, parameter, function, values) for site in values.callers(function)]
    return [] if None in found else [part for part in found if part]


def _given(site: ast.expr, parameter: ast.AST | None, function: ast.FunctionDef, values: Values) -> ast.expr | None:
    """Return what one call passes for a parameter, or leaves to its default; nothing where that is hidden."""
    known = [*function.args.posonlyargs, *function.args.args]
    if not isinstance(site, ast.Call) or parameter not in known or not isinstance(parameter, ast.arg):
        return None
    called = [(value.function, len(value.arguments)) if isinstance(value, Bound) else (value, 0)
              for value in values.of(site.func)]  # fmt: skip
    given = {count for value, count in called if isinstance(value, Function) and value.node is function}
    stars = any(isinstance(argument, ast.Starred) for argument in site.args)
    if len(given) != 1 or len(called) > 1 or stars or any(keyword.arg is None for keyword in site.keywords):
        return None  # what Python itself calls, such as the target of a thread, among it
    index = known.index(parameter)
    at = index - given.pop()
    if 0 <= at < len(site.args):
        return site.args[at]
    named = next((keyword.value for keyword in site.keywords if keyword.arg == parameter.arg), None)
    behind = index - len(known) + len(function.args.defaults)
    return named or (function.args.defaults[behind] if behind >= 0 else None)


def given_at(site: ast.AST, index: int) -> ast.expr | None:
    """Return what a call gives by position; nothing where stars or keywords hide it."""
    if not isinstance(site, ast.Call) or site.keywords or index >= len(site.args):
        return None
    hidden = any(isinstance(argument, ast.Starred) for argument in site.args[: index + 1])
    return None if hidden else site.args[index]
