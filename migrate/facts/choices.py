"""The constants that an expression can be: what a loop goes through, both sides of a choice."""

from __future__ import annotations

import ast

from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest


def choices(node: ast.expr, forest: Forest, expressions: Expressions) -> list[object]:
    """Return every constant that an expression can be; nothing where it may be something else."""
    if isinstance(node, ast.IfExp):
        sides = [choices(side, forest, expressions) for side in (node.body, node.orelse)]
        return [value for values in sides for value in values] if all(sides) else []
    found = [expressions.constant(part) for part in _items(node, forest, expressions) or [node]]
    return [] if None in found else found


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


def given_at(site: ast.AST, index: int) -> ast.expr | None:
    """Return what a call gives by position; nothing where stars or keywords hide it."""
    if not isinstance(site, ast.Call) or site.keywords or index >= len(site.args):
        return None
    hidden = any(isinstance(argument, ast.Starred) for argument in site.args[: index + 1])
    return None if hidden else site.args[index]
