"""`__all__`: the names that it exports, and its text without some of them."""

from __future__ import annotations

import ast
import re
from collections.abc import Set
from typing import TypeAlias

from migrate.python.scopes import Names
from migrate.python.source import Source
from migrate.text.code import Template

ALL = "__all__"
_WORD = re.compile(r"\w+")
Display: TypeAlias = ast.List | ast.Tuple


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
        if not all(isinstance(item, ast.Constant) and isinstance(item.value, str) for item in value.elts):
            return []
        found.append(value)
    return found


def listings(names: Names) -> dict[ast.stmt, None]:
    """Return the statements that name `__all__`."""
    variable = names.module.variables.get(ALL)
    places = [*variable.bindings, *variable.loads, *variable.deletions] if variable else []
    return {names.statement(place): None for place in places}


def is_read(tree: ast.Module) -> bool:
    """Whether a file takes the `__all__` of another, or names it in a text."""
    return any(
        (isinstance(node, ast.Attribute) and node.attr == ALL)
        or (isinstance(node, ast.alias) and node.name == ALL)
        or (isinstance(node, ast.Constant) and node.value == ALL)
        for node in ast.walk(tree)
    )


def without(source: Source, display: Display, gone: Set[str]) -> Template:
    """Return the text of a list without some names; those that stand on lines of their own keep them."""
    kept = [item for item in display.elts if isinstance(item, ast.Constant) and item.value not in gone]
    lines = [item.lineno for item in display.elts]
    alone = len({display.lineno, *lines, display.end_lineno}) == len(lines) + 2
    if alone and len(kept) > 1 and "{" not in source.slice(display):  # a template would take it for a placeholder
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
    return Template(text)
