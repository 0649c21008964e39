"""Places that hold values: a variable, a field of what it holds, an item with a constant index."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TypeAlias

from migrate.python.scopes import Names, Variable

Place: TypeAlias = "tuple[Variable | str | int, ...]"


def place_of(node: ast.AST, names: Names) -> Place | None:
    """Return the place that an expression reads or stores to; None if it is not a place."""
    parts: list[str | int] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            parts.append(node.attr)
        elif isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
            parts.append(node.slice.value)
        else:
            return None
        node = node.value
    variable = names.of.get(node) if isinstance(node, ast.Name | ast.arg) else None
    return (variable, *reversed(parts)) if variable is not None else None


def is_about(found: Iterable[Place | None], place: Place | None) -> bool:
    """Whether one of some places is a place, or a part of it."""
    return any(other[: len(place)] == place for other in found if other and place)


def part_of(place: Place, index: int) -> Place:
    """Return the place of an item."""
    return (*place, index)
