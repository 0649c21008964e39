"""What a function of C is where a program keeps it: one with a name of its own, and never a method."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from migrate.bindings.tokens import CFunction, keys
from migrate.facts.forest import Forest
from migrate.facts.introspection import NAMES, first_constant, without_static
from migrate.python.scopes import Kind
from migrate.python.values import Class, Collection, Instance, Token, Value, Values
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
    return any(_owners(target, forest, values) for each in targets for target in _parts(each))


def bound(forest: Forest, values: Values) -> Iterator[ast.expr]:
    """Yield what gives a class a function of C and is no assignment, and what reads one that no target has given it.

    There one of Python's would be bound to the object.
    """
    given: set[tuple[ast.AST, str]] = set()
    names = (node for _, node in forest.nodes(ast.Name) if isinstance(node.ctx, ast.Store))
    for target in [*names, *_attributes(forest, ast.Store)]:
        owners = _owners(target, forest, values)
        if owners and any(isinstance(key, CFunction) for key in keys(values.of_target(target))):
            given |= owners
            if not _is_assigned(target, forest, values):
                yield target
    for node in _attributes(forest, ast.Load):
        tokens = {value for value in values.of(node) if isinstance(value, Token) and isinstance(value.key, CFunction)}
        for owner in values.of(node.value) if tokens else ():
            if isinstance(owner, Instance) and not tokens.isdisjoint(values.default(owner.node, node.attr)):
                bases = (base for base in values.bases(owner.node) if isinstance(base, Class))
                if given.isdisjoint((base.node, node.attr) for base in bases):
                    yield node


def _attributes(forest: Forest, context: type[ast.expr_context]) -> Iterator[ast.Attribute]:
    return (node for _, node in forest.nodes(ast.Attribute) if isinstance(node.ctx, context))


def _owners(target: ast.expr, forest: Forest, values: Values) -> set[tuple[ast.AST, str]]:
    """Return the classes of which a target is an attribute, each with its name."""
    if isinstance(target, ast.Attribute):
        return {(owner.node, target.attr) for owner in values.of(target.value) if isinstance(owner, Class)}
    variable = forest.of(target).of.get(target)
    if variable is None or variable.scope.kind is not Kind.CLASS:
        return set()
    return {(variable.scope.node, variable.name)}


def _parts(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, ast.Tuple | ast.List):
        for part in target.elts:
            yield from _parts(part)
    else:
        yield target.value if isinstance(target, ast.Starred) else target


def _is_assigned(target: ast.expr, forest: Forest, values: Values) -> bool:
    """Whether a target is assigned an expression of its own: one that `is_of_class`."""
    part, above = target, forest.parents[target]
    while isinstance(above, ast.Tuple | ast.List | ast.Starred):
        part, above = above, forest.parents[above]
    if not isinstance(above, ast.Assign | ast.AnnAssign) or above.value is None:
        return False
    return part is target or not any(isinstance(value, Collection) for value in _given(above.value, values))


def _given(value: ast.expr, values: Values) -> Iterator[Value]:
    """Yield what the innermost parts of an expression can be that stand for targets."""
    if isinstance(value, ast.Tuple | ast.IfExp):
        for part in value.elts if isinstance(value, ast.Tuple) else (value.body, value.orelse):
            yield from _given(part, values)
    else:
        yield from values.of(value)


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
