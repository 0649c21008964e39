"""What a function of C is where a program keeps it: one with a name of its own, and never a method."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from migrate.bindings.tokens import CFunction, keys
from migrate.facts.forest import Forest
from migrate.facts.introspection import NAMES, first_constant, without_static
from migrate.python.values import Class, Values
from migrate.text.code import Template


def named(forest: Forest, values: Values) -> Iterator[str]:
    """Yield the functions of which a program reads the name: `function.__name__`, `getattr(function, "__name__")`."""
    read = [node.value for _, node in forest.nodes(ast.Attribute) if node.attr in NAMES]
    read += [call.args[0] for _, call in forest.calls(("getattr",)) if first_constant(call.args[1:2]) in NAMES]
    found = (key for node in read for key in keys(without_static(values.of(node))))
    yield from (key.name for key in found if isinstance(key, CFunction))


def is_of_class(node: ast.expr, forest: Forest, values: Values) -> bool:
    """Whether an expression gives an attribute of a class its value: functions of C are not bound to objects."""
    value, above = node, forest.parents[node]
    while isinstance(above, ast.IfExp | ast.Tuple):
        value, above = above, forest.parents[above]
    if not isinstance(above, ast.Assign | ast.AnnAssign) or above.value is not value:
        return False
    targets = above.targets if isinstance(above, ast.Assign) else [above.target]
    if isinstance(value, ast.Tuple) and not isinstance(targets[0], ast.Tuple):
        return False
    owners = (target.value for target in targets if isinstance(target, ast.Attribute))
    is_stored = any(isinstance(owner, Class) for each in owners for owner in values.of(each))
    return is_stored or isinstance(forest.parents[above], ast.ClassDef)


def of_class(node: ast.Attribute, made: Template | None) -> Template:
    """Return what an attribute of a class is for a function that is taken from its library."""
    text, parts = made or (f"{{library}}.{node.attr}", {"library": node.value})
    return Template(f"staticmethod({text})", parts)


# What an attribute of a class is for a function that was taken before, by where that is kept.
TAKEN_BEFORE: Mapping[type[ast.expr], Callable[[Any], Template]] = {
    ast.Name: lambda node: Template(f"staticmethod({node.id})"),
    ast.Attribute: lambda node: Template(f"staticmethod({{owner}}.{node.attr})", {"owner": node.value}),
    ast.Subscript: lambda node: Template("staticmethod({held}[{key}])", {"held": node.value, "key": node.slice}),
}
