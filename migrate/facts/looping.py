"""Names that a loop goes through: `for name in ("a", "b")`, `for field in fields(x)`."""

from __future__ import annotations

import ast

from migrate.facts.forest import Forest


def rows(name: ast.expr, forest: Forest) -> list[ast.expr]:
    """Return what the loops go through that bind a variable."""
    variable = forest.of(name).of.get(name) if isinstance(name, ast.Name) else None
    above = [forest.parents[binding] for binding in variable.bindings] if variable else []
    return [loop.iter for loop in above if isinstance(loop, ast.For | ast.comprehension)]


def constants(row: ast.expr) -> set[object]:
    """Return what stands in a row of constants."""
    items = row.elts if isinstance(row, ast.Tuple | ast.List | ast.Set) else []
    return {item.value for item in items if isinstance(item, ast.Constant)}
