"""`__all__` of a module: how it is written, the names that it may list, and those that it lists in any case."""

from __future__ import annotations

import ast
import re
from typing import TypeAlias

from migrate.python.scopes import Names

ALL = "__all__"
_WORD = re.compile(r"\w+")
Display: TypeAlias = ast.List | ast.Tuple
_BINDING = (ast.Assign, ast.AugAssign, ast.AnnAssign)


def listings(names: Names) -> dict[ast.stmt, None]:
    """Return the statements that name `__all__`."""
    variable = names.module.variables.get(ALL)
    places = [*variable.bindings, *variable.loads, *variable.deletions] if variable else []
    return {names.statement(place): None for place in places}


def listed(names: Names) -> dict[str, int]:
    """Return the words of the texts in every statement that names `__all__`, with their lines.

    Where it is made of other variables of the module, those of the whole module: nobody knows which it takes.
    """
    found = listings(names)
    known = names.module.variables.get(ALL)
    read = (part for statement in found for part in ast.walk(statement) if isinstance(part, ast.Name))
    made = any(names.of[part] is not known and names.of[part].bindings for part in read)
    parts = [part for place in ([names.tree] if made else found) for part in ast.walk(place)]
    return {
        word: part.lineno
        for part in parts
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
        for word in _WORD.findall(part.value)
    }


def displays(names: Names) -> list[Display]:
    """Return the lists that `__all__` is written as; none where the module computes or reads it."""
    found: list[Display] = []
    for statement in listings(names):
        value = getattr(statement, "value", None)
        shared = len(getattr(statement, "targets", [])) > 1
        if statement not in names.tree.body or shared or not isinstance(value, ast.List | ast.Tuple):
            return []
        if len(_texts(value)) < len(value.elts):
            return []
        found.append(value)
    return found


def certain(names: Names) -> frozenset[str]:
    """Return the names that statements of the module itself put into `__all__` as they are written."""
    values = (it.value for it in listings(names) if isinstance(it, _BINDING) and it in names.tree.body)
    rows = (value for value in values if isinstance(value, ast.List | ast.Tuple | ast.Set))
    return frozenset(text for row in rows for text in _texts(row))


def is_listing(names: Names) -> bool:
    """Whether a module has `__all__`."""
    variable = names.module.variables.get(ALL)
    return variable is not None and bool(variable.bindings)


def is_read(tree: ast.Module) -> bool:
    """Whether a file takes the `__all__` of another, or names it in a text."""
    return any(
        (isinstance(node, ast.Attribute) and node.attr == ALL)
        or (isinstance(node, ast.alias) and node.name == ALL)
        or (isinstance(node, ast.Constant) and node.value == ALL)
        for node in ast.walk(tree)
    )


def _texts(row: ast.List | ast.Tuple | ast.Set) -> list[str]:
    return [item.value for item in row.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
