"""Which functions are analysed once per call: small ones that call, return or yield what they are given."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.python._domain import FunctionNode

MAX_NODES = 250  # a longer function is analysed once, so that the work stays linear in the program


def is_generic(node: FunctionNode) -> bool:
    """Whether callers of a function would mix if its body were analysed once for all of them."""
    inside = list(_inside(node))
    if len(inside) > MAX_NODES:
        return False
    tainted = _parameters(node)
    if not tainted:
        return False
    for _ in range(2):  # a name may be used above the assignment that matters
        for part in inside:
            tainted |= _assigned(part, tainted)
    return any(_hands_on(part, tainted) for part in inside) or (
        isinstance(node, ast.Lambda) and _holds(node.body, tainted)
    )


def _inside(node: FunctionNode) -> Iterator[ast.AST]:
    todo: list[ast.AST] = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
    while todo:
        part = todo.pop()
        yield part
        todo += ast.iter_child_nodes(part)


def _parameters(node: FunctionNode) -> set[str]:
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
    names = {argument.arg for argument in every if argument.arg not in ("self", "cls")}
    return names


def _assigned(part: ast.AST, tainted: set[str]) -> set[str]:
    targets: list[ast.expr] = []
    value: ast.expr | None = None
    if isinstance(part, ast.Assign):
        targets, value = part.targets, part.value
    elif isinstance(part, ast.AnnAssign | ast.NamedExpr):
        targets, value = [part.target], part.value
    elif isinstance(part, ast.For | ast.AsyncFor | ast.comprehension):
        targets, value = [part.target], part.iter
    elif isinstance(part, ast.withitem) and part.optional_vars:
        targets, value = [part.optional_vars], part.context_expr
    if value is None or not _holds(value, tainted):
        return set()
    return {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}


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
    if isinstance(part, ast.Lambda):
        return _holds(part.body, tainted)
    return isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in tainted
