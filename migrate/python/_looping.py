"""Names that a loop goes through: `for name in ("a", "b")`, `for field in fields(x)`."""

from __future__ import annotations

import ast

from migrate.python.scopes import Names


def rows(name: ast.expr, names: Names) -> list[ast.expr]:
    """Return what the loops go through that bind a variable."""
    variable = names.of.get(name) if isinstance(name, ast.Name) else None
    above = [names.parents[binding] for binding in variable.bindings] if variable else []
    return [loop.iter for loop in above if isinstance(loop, ast.For | ast.comprehension)]


def constants(row: ast.expr) -> set[object]:
    """Return what stands in a row of constants."""
    items = row.elts if isinstance(row, ast.Tuple | ast.List | ast.Set) else []
    return {item.value for item in items if isinstance(item, ast.Constant)}


def looped(name: ast.expr, names: Names) -> list[str]:
    """Return the texts that a variable has one after the other, if loops over rows of texts are all that binds it."""
    found = rows(name, names)
    texts = [text for row in found for text in sorted(map(str, constants(row)))]
    written = [item for row in found for item in getattr(row, "elts", [None])]
    is_all = isinstance(name, ast.Name) and len(found) == len(names.of[name].bindings)
    return texts if is_all and all(isinstance(item, ast.Constant) for item in written) else []
