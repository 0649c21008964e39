"""Attributes that only the methods of their own class touch: such a ``self.ep`` is as good as a variable.

That takes a class that is nobody's base and has none, whose instances no code here looks into by name, and an
attribute that stands nowhere in the file but after the `self` of its methods. What cannot be proved is no field.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from migrate._scopes import Names

Method = ast.FunctionDef | ast.AsyncFunctionDef

_DECORATORS = frozenset({"property", "contextmanager", "contextlib.contextmanager"})  # of methods that get self
_BY_NAME = frozenset({"getattr", "setattr", "delattr", "hasattr"})
_HOOKS = frozenset({"__getattr__", "__getattribute__", "__setattr__", "__delattr__"})


def fields(names: Names) -> dict[ast.Attribute, tuple[ast.ClassDef, str]]:
    """The class and attribute behind every ``self.name`` that is a field."""
    nodes = list(ast.walk(names.tree))
    if any(_looks_inside(each) for each in nodes):
        return {}
    owners: dict[ast.Attribute, ast.ClassDef] = {}
    for owner in _plain_classes(names, nodes):
        owners |= dict.fromkeys(_own(names, owner), owner)
    strange = {each.attr for each in nodes if isinstance(each, ast.Attribute) and each not in owners}
    strange |= {each.attr for each in owners if isinstance(each.ctx, ast.Del)}
    strange |= {each.value for each in nodes if isinstance(each, ast.Constant) and isinstance(each.value, str)}
    strange |= {word for each in nodes if isinstance(each, ast.MatchClass) for word in each.kwd_attrs}
    strange |= {name for owner in owners.values() for name in names.scopes[owner].variables}
    return {each: (owner, each.attr) for each, owner in owners.items() if each.attr not in strange}


def _looks_inside(node: ast.AST) -> bool:
    """Whether attributes are reached by names that do not stand in the file, or all of them at once."""
    if isinstance(node, ast.Attribute):
        return node.attr == "__dict__"
    if not isinstance(node, ast.Name):
        return isinstance(node, ast.Constant) and node.value == "__dict__"
    return node.id in _BY_NAME | {"vars"}


def _plain_classes(names: Names, nodes: list[ast.AST]) -> Iterator[ast.ClassDef]:
    """Classes of the module itself without bases, decorators and hooks, which no other class extends."""
    bases = {ast.unparse(base) for each in nodes if isinstance(each, ast.ClassDef) for base in each.bases}
    for each in names.tree.body:
        if isinstance(each, ast.ClassDef) and each.name not in bases:
            alone = names.module.variables[each.name].bindings == [each]
            rooted = all(ast.unparse(base) == "object" for base in each.bases)
            plain = alone and rooted and not each.keywords and not each.decorator_list
            if plain and not _HOOKS & set(names.scopes[each].variables):
                yield each


def _own(names: Names, owner: ast.ClassDef) -> list[ast.Attribute]:
    """Every ``self.name`` of the methods; none at all when a method gives its self away."""
    found: list[ast.Attribute] = []
    for method in owner.body:
        if not isinstance(method, Method) or not method.args.args:
            continue
        if any(ast.unparse(each) not in _DECORATORS for each in method.decorator_list):
            continue
        me = names.scopes[method].variables["self"] if method.args.args[0].arg == "self" else None
        if me is None or me.bindings != [method.args.args[0]]:
            continue
        for load in me.loads:
            parent = names.parents[load]
            if isinstance(parent, ast.Attribute):
                found.append(parent)
            elif not isinstance(parent, ast.Return):
                return []
    return found
