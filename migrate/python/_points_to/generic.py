"""Which functions are analysed once per call: small ones that call, return or yield what they are given."""

from __future__ import annotations

import ast
from collections.abc import Callable

from migrate.python._points_to.domain import FunctionNode
from migrate.python.scopes import FUNCTIONS

MAX_NODES = 120  # a function with more is analysed once, so that the work stays linear in the program
_FLOWING = {ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.AsyncFor, ast.comprehension, ast.With, ast.AsyncWith}
_HANDING = {ast.Return, ast.Yield, ast.YieldFrom, ast.Assign, ast.Lambda, ast.Call}


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
        if isinstance(part, FUNCTIONS) and len(inside) <= MAX_NODES:
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
    if isinstance(value, ast.Attribute | ast.Subscript | ast.Starred | ast.Await | ast.NamedExpr | ast.YieldFrom):
        return _holds(value.value, tainted)
    if isinstance(value, ast.Tuple | ast.List | ast.Set):
        return any(_holds(item, tainted) for item in value.elts)
    if isinstance(value, ast.Dict):
        return any(_holds(item, tainted) for item in value.values)
    if isinstance(value, ast.IfExp):
        return _holds(value.body, tainted) or _holds(value.orelse, tainted)
    if isinstance(value, ast.BoolOp):
        return any(_holds(item, tainted) for item in value.values)
    if isinstance(value, ast.Call):
        return _holds(value.func, tainted) or any(_holds(item, tainted) for item in value.args)
    if isinstance(value, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        return _holds(value.elt, tainted)
    return False


def _hands_on(part: ast.AST, tainted: set[str]) -> bool:
    if isinstance(part, ast.Return | ast.Yield | ast.YieldFrom):
        return _holds(part.value, tainted)
    if isinstance(part, ast.Assign) and any(isinstance(target, ast.Attribute) for target in part.targets):
        return _holds(part.value, tainted)
    if isinstance(part, ast.Lambda):
        return _holds(part.body, tainted)
    return isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in tainted
