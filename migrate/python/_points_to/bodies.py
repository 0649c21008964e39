"""The code of functions: which nodes are theirs, and whether control may reach the end."""

from __future__ import annotations

import ast
from collections.abc import Set

from migrate.python.scopes import FUNCTIONS


def bodies(tree: ast.Module, kinds: Set[type[ast.AST]]) -> dict[ast.AST, list[ast.AST]]:
    """Sort the nodes of some kinds by the function or module whose code they are."""
    owned: dict[ast.AST, list[ast.AST]] = {tree: []}
    todo: list[tuple[ast.AST, list[ast.AST]]] = [(tree, owned[tree])]
    while todo:
        node, body = todo.pop()
        kind = type(node)
        if kind in kinds:
            body.append(node)
        inside = body
        if kind in FUNCTIONS:
            inside = owned[node] = []
        for name in _FIELDS.get(kind) or _fields(kind):
            value = getattr(node, name, None)
            where = inside if name == "body" else body
            if type(value) is list:
                todo += [(item, where) for item in reversed(value) if type(item) not in _LEAVES]
            elif type(value) not in _LEAVES and isinstance(value, ast.AST):
                todo.append((value, where))
    return owned


_LEAVES = {ast.Name, ast.Constant, ast.alias, str, type(None), ast.arg, ast.Pass, ast.Break, ast.Continue, ast.Global}
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def _fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """The fields of a kind of node that hold code; annotations do not."""
    plain = {"ctx", "op", "ops", "annotation", "returns", "type_params", "type_comment", "names"}
    _FIELDS[kind] = tuple(name for name in reversed(kind._fields) if name not in plain)
    return _FIELDS[kind]


def falls_through(body: list[ast.stmt]) -> bool:
    """Whether control may reach the end of a block, as far as its last statement shows."""
    last = body[-1]
    if isinstance(last, ast.Return | ast.Raise | ast.Continue | ast.Break):
        return False
    if isinstance(last, ast.If):
        return not last.orelse or falls_through(last.body) or falls_through(last.orelse)
    if isinstance(last, ast.With | ast.AsyncWith):
        return falls_through(last.body)
    if isinstance(last, ast.While) and isinstance(last.test, ast.Constant) and last.test.value:
        return any(isinstance(node, ast.Break) for node in ast.walk(last))
    if isinstance(last, ast.Try):
        if last.finalbody and not falls_through(last.finalbody):
            return False
        ends = [last.orelse or last.body, *(handler.body for handler in last.handlers)]
        return any(falls_through(block) for block in ends)
    if isinstance(last, ast.Match):
        total = any(
            isinstance(case.pattern, ast.MatchAs) and not case.pattern.pattern and not case.guard for case in last.cases
        )
        return not total or any(falls_through(case.body) for case in last.cases)
    return True
