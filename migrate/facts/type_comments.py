"""Type comments, as constants that hang on the statement they belong to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from migrate.python.source import Source

_MARK = "# type:"


def is_type_comment(node: ast.AST) -> TypeGuard[ast.Constant]:
    """Whether a node stands for a comment."""
    return isinstance(node, ast.Constant) and node.kind == _MARK


def type_comments(source: Source) -> Iterator[tuple[ast.Constant, ast.stmt]]:
    """Yield every type comment, from its hash on, with the innermost statement that it stands in or before."""
    if _MARK not in source.text:
        return
    for number, line in enumerate(source.text.splitlines(), 1):
        before, mark, comment = line.partition(_MARK)
        owner = _owner(source.tree.body, number) if mark and not comment.strip().startswith("ignore") else None
        if owner is not None:
            column, end = len(before.encode()), len(line.encode())
            place = {"lineno": number, "end_lineno": number, "col_offset": column, "end_col_offset": end}
            yield ast.Constant(mark + comment, _MARK, **place), owner


def _owner(body: list[ast.stmt], line: int) -> ast.stmt | None:
    """Return the innermost statement of a block that ends no earlier than a line."""
    owner = next((statement for statement in body if (statement.end_lineno or 0) >= line), None)
    if owner is None or owner.lineno > line:
        return owner
    blocks = (getattr(owner, name, []) for name in ("body", "handlers", "orelse", "finalbody", "cases"))
    inside = [statement for block in blocks for statement in block]
    if isinstance(owner, ast.FunctionDef | ast.AsyncFunctionDef) and line < inside[0].lineno:
        return owner  # of its signature
    return next((found for part in inside if (found := _owner([part], line)) is not None), owner)
