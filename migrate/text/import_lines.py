"""The text of import statements: new ones, old ones with some of their names, one more at the top of a file."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import TypeAlias

from migrate.python.scopes import Names
from migrate.python.source import Source
from migrate.text._namer import MODERN
from migrate.text.pieces import Change

Import: TypeAlias = ast.Import | ast.ImportFrom

_FROM = re.compile(r"from\b(?:\\\r?\n|[^(])*?\bimport\b")


def import_line(name: str) -> str:
    """Return the statement that imports comch_next under a name."""
    return f"import {renamed(MODERN, name)}"


def renamed(name: str, bound: str) -> str:
    """Return a name with the one that an import binds it to."""
    return name if name == bound else f"{name} as {bound}"


def reexport(source: Source, statement: Import, new: Mapping[ast.alias, str], bound: Mapping[ast.alias, str]) -> str:
    """Return the import of names of comch_next in the place of some of a statement's; its layout where these agree."""
    if isinstance(statement, ast.ImportFrom) and all(alias.name == name for alias, name in new.items()):
        return _FROM.sub(f"from {MODERN} import", _without(source, statement, [*new]), count=1)
    return f"from {MODERN} import {', '.join(renamed(name, bound[alias]) for alias, name in new.items())}"


def joined(source: Source, statement: Import, lines: list[str], remaining: list[ast.alias]) -> str:
    """Return new statements and what remains of an old one, each on its line where the old one begins one."""
    if remaining:
        lines = [*lines, _without(source, statement, remaining)]
    if source.is_first(statement):
        indent = source.indentation(statement.lineno)
        return (source.line_end(statement.lineno) + indent).join(lines)
    return "; ".join(lines or ["pass"])


def _without(source: Source, statement: Import, remaining: list[ast.alias]) -> str:
    """Return the text of an import statement with some of its names; their comments stay."""
    if len(remaining) == len(statement.names):
        return source.slice(statement)
    from migrate.text._layout import with_names  # here: it brings libcst, which most files never need

    kept = frozenset((alias.name, alias.asname) for alias in remaining)
    return with_names(source.slice(statement), kept, source.line_end(1))


def block_of(statement: ast.stmt, names: Names) -> ast.AST:
    """Return the first statement of the block that a statement stands in."""
    parent = names.parents[statement]
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list) and statement in block:
            return block[0]  # type: ignore[no-any-return]
    return parent


def at_top(source: Source, line: str) -> Change:
    """Return the change that adds a line after the docstring, the future and the first imports."""
    body = source.tree.body
    first = next((at for at, statement in enumerate(body) if not _is_preamble(statement, at)), len(body))
    after = first
    while after < len(body) and isinstance(body[after], ast.Import | ast.ImportFrom):
        after += 1
    newline = source.line_end(1)
    if after and source.is_alone(body[after - 1]):
        last = body[after - 1].end_lineno or 1
        place = source.line_start(last) + len(source.lines[last - 1])
        ended = source.text[:place].endswith(("\n", "\r"))
        return Change(place, place, f"{line}{newline}" if ended else f"{newline}{line}")
    following = body[first] if first < len(body) else body[-1]
    number = min([following.lineno, *(node.lineno for node in getattr(following, "decorator_list", []))])
    if source.is_first(following):
        start = source.line_start(number)
        return Change(start, start, line + newline)
    start = source.span(following)[0]
    return Change(start, start, f"{line}; ")


def _is_preamble(statement: ast.stmt, at: int) -> bool:
    docstring = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and at == 0
    return docstring or (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")
