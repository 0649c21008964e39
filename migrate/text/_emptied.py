"""Blocks of which nothing would be left, and lines that are not all a statement's: `pass` takes its place there."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from migrate.python.scopes import Names
from migrate.python.source import Source
from migrate.text.code import Template

_BLOCKS = ("body", "orelse", "finalbody")


def with_pass(statements: Mapping[ast.stmt, Template], source: Source, names: Names) -> dict[ast.stmt, Template]:
    """Return edits of statements, with `pass` for those without a text that cannot just go."""
    gone = {statement for statement, template in statements.items() if not template.text}
    needed = {block[0] for block in _emptied(gone, names)}
    needed |= {statement for statement in gone if not source.is_alone(statement)}
    return {**statements, **dict.fromkeys(needed, Template("pass"))}


def _emptied(gone: set[ast.stmt], names: Names) -> Iterator[list[ast.stmt]]:
    """Yield the blocks that would have no statement any more; a module may be empty."""
    for statement in gone:
        parent = names.parents[statement]
        for name in () if isinstance(parent, ast.Module) else _BLOCKS:
            block = getattr(parent, name, None)
            if isinstance(block, list) and statement in block and gone.issuperset(block):
                yield block
