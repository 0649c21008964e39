"""Where functions and classes of a project are called, and whether a name means the same there."""

from __future__ import annotations

import ast

from migrate.facts.forest import Forest
from migrate.python.scopes import Kind
from migrate.python.values import Bound, Class, Function, Value, Values


def is_seen(name: ast.Name, place: ast.expr, forest: Forest, values: Values) -> bool:
    """Whether the name of an FFI object or a library means that where a call stands, too."""
    named = {variable for variable in forest.of(place).of.values() if variable.name == name.id}
    return bool(named) and all(
        variable.scope.kind is Kind.MODULE
        and len(variable.bindings) == 1
        and values.of_target(variable.bindings[0]) == values.of(name)
        for variable in named
    )


def calls(function: ast.AST, forest: Forest, values: Values) -> list[ast.expr]:
    """Return the calls of a function or class; other uses of it, which keep it, as they are."""
    nodes: list[ast.Name | ast.Attribute] = [node for _, node in forest.nodes(ast.Name)]
    nodes += [node for _, node in forest.nodes(ast.Attribute)]
    loads = (node for node in nodes if isinstance(node.ctx, ast.Load))
    uses = [node for node in loads if any(node_of(value) is function for value in values.of(node))]
    above = (forest.parents[use] for use in uses)
    return [up if isinstance(up, ast.Call) and up.func is use else use
            for use, up in zip(uses, above, strict=True)]  # fmt: skip


def node_of(value: Value) -> ast.AST | None:
    """Return what defines a function or class, also one that is bound to its object."""
    function = value.function if isinstance(value, Bound) else value
    return function.node if isinstance(function, Function | Class) else None
