"""`__all__`: its text without some of its names."""

from __future__ import annotations

import ast
from collections.abc import Set

from migrate.python.listing import Display
from migrate.python.source import Source
from migrate.text.code import Template, verbatim


def without(source: Source, display: Display, gone: Set[str]) -> Template:
    """Return the text of a list without some names; those that stand on lines of their own keep them."""
    kept = [item for item in display.elts if isinstance(item, ast.Constant) and item.value not in gone]
    lines = [item.lineno for item in display.elts]
    alone = len({display.lineno, *lines, display.end_lineno}) == len(lines) + 2
    if alone and len(kept) > 1:
        dropped = {
            line
            for item in display.elts
            if item not in kept
            for line in range(item.lineno, (item.end_lineno or item.lineno) + 1)
        }
        rows = source.slice(display).splitlines(keepends=True)
        text = "".join(row for line, row in enumerate(rows, display.lineno) if line not in dropped)
    else:
        text = ", ".join(map(source.slice, kept))
        text = f"[{text}]" if isinstance(display, ast.List) else f"({text}{',' * (len(kept) == 1)})"
    return verbatim(text)
