"""Type comments, as constants that hang on the statement they belong to."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from contextlib import suppress
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
    for token in tokenize.generate_tokens(io.StringIO(source.text, newline="").readline):
        is_type = token.type == tokenize.COMMENT and token.string.startswith(_MARK)
        if not is_type or token.string.removeprefix(_MARK).strip().startswith("ignore"):
            continue
        number, owner = token.start[0], _owner(source.tree.body, token.start[0])
        if owner is not None:
            column = len(token.line[: token.start[1]].encode())
            end = column + len(token.string.encode())
            place = {"lineno": number, "end_lineno": number, "col_offset": column, "end_col_offset": end}
            yield ast.Constant(token.string, _MARK, **place), owner


def parsed(comment: ast.Constant) -> ast.AST | None:
    """Parse the type in a comment, or the types of a function: `(int) -> str`; None for what is neither."""
    for mode in ("eval", "func_type"):
        with suppress(SyntaxError):
            return ast.parse(str(comment.value).removeprefix(_MARK).strip(), mode=mode)
    return None


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
