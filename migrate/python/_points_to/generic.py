"""Which functions are analysed once per call: small ones that call, return or yield what they are given."""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrate.python._points_to.domain import FunctionNode
from migrate.python.scopes import FUNCTIONS

MAX_NODES = 120  # a function with more is analysed once, so that the work stays linear in the program
_FLOWING = {ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.AsyncFor, ast.comprehension, ast.With, ast.AsyncWith}
_GIVING = (ast.Return, ast.Yield, ast.YieldFrom)
_HANDING = {*_GIVING, ast.Assign, ast.Lambda, ast.Call}
# Where a kind of expression has the values, and the rows of values, that it may be or hold.
_VALUES: dict[type, tuple[str, ...]] = {ast.IfExp: ("body", "orelse"), ast.Call: ("func",)}
_VALUES |= dict.fromkeys(
    (ast.Attribute, ast.Subscript, ast.Starred, ast.Await, ast.NamedExpr, ast.YieldFrom), ("value",)
)
_VALUES |= dict.fromkeys((ast.ListComp, ast.SetComp, ast.GeneratorExp), ("elt",))
_ROWS: dict[type, str] = {ast.Dict: "values", ast.BoolOp: "values", ast.Call: "args"}
_ROWS |= dict.fromkeys((ast.Tuple, ast.List, ast.Set), "elts")


def is_generic(node: FunctionNode, body: Callable[[ast.AST], list[ast.AST]]) -> bool:
    """Whether callers of a function would mix if its body were analysed once for all of them."""
    tainted = _parameters(node)
    inside = _inside(node, body) if tainted else []
    if not tainted or len(inside) > MAX_NODES:
        return False
    handing = [part for part in inside if type(part) in _HANDING]
    if not handing and not isinstance(node, ast.Lambda):
        return False
    flows = [flow for part in inside if type(part) in _FLOWING and (flow := _flow(part)) is not None]
    for _ in range(2):  # a name may be used above the assignment that matters
        for targets, value in flows:
            if _holds(value, tainted):
                names = (name for target in targets for name in ast.walk(target))
                tainted |= {name.id for name in names if isinstance(name, ast.Name)}
    if isinstance(node, ast.Lambda) and _holds(node.body, tainted):
        return True
    return any(_hands_on(part, tainted) for part in handing)


def _inside(node: FunctionNode, body: Callable[[ast.AST], list[ast.AST]]) -> list[ast.AST]:
    """The code of a function and of those in it."""
    inside = list(body(node))
    for part in inside:
        if type(part) in FUNCTIONS and len(inside) <= MAX_NODES:
            inside += body(part)
    return inside


def _parameters(node: FunctionNode) -> set[str]:
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    return {argument.arg for argument in every if argument.arg not in ("self", "cls")}


def _flow(part: ast.AST) -> tuple[list[ast.expr], ast.expr | None] | None:
    """The targets and the value of an assignment in any form."""
    if isinstance(part, ast.Assign):
        return part.targets, part.value
    if isinstance(part, ast.AnnAssign | ast.NamedExpr):
        return [part.target], part.value
    if isinstance(part, ast.For | ast.AsyncFor | ast.comprehension):
        return [part.target], part.iter
    if isinstance(part, ast.With | ast.AsyncWith) and part.items[0].optional_vars:
        return [part.items[0].optional_vars], part.items[0].context_expr
    return None


def _holds(value: ast.expr | None, tainted: set[str]) -> bool:
    """Whether the value of an expression may be, or hold, what a tainted name has."""
    if isinstance(value, ast.Name):
        return value.id in tainted
    kind = type(value)
    if any(_holds(getattr(value, name), tainted) for name in _VALUES.get(kind, ())):
        return True
    return kind in _ROWS and any(_holds(item, tainted) for item in getattr(value, _ROWS[kind]))


def _hands_on(part: ast.AST, tainted: set[str]) -> bool:
    if isinstance(part, _GIVING):
        return _holds(part.value, tainted)
    if isinstance(part, ast.Assign) and any(isinstance(target, ast.Attribute) for target in part.targets):
        return _holds(part.value, tainted)
    if isinstance(part, ast.Lambda):
        return _holds(part.body, tainted)
    return isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in tainted
