"""Statements taken out of a text."""

from __future__ import annotations

import ast

from migrate.facts.forest import Forest
from migrate.python.source import Source
from migrate.text.pieces import Change


def without(source: Source, forest: Forest, statement: ast.stmt) -> Change:
    """Return the change that takes a statement away; a function or class with the blank lines behind it."""
    last = statement.end_lineno or statement.lineno
    is_definition = isinstance(statement, ast.FunctionDef | ast.ClassDef)
    while is_definition and last < len(source.lines) and not source.lines[last].strip():
        last += 1
    end = source.line_start(last) + len(source.lines[last - 1])
    if len(getattr(forest.parents[statement], "body", [])) > 1 and source.is_alone(statement):
        return Change(source.line_start(statement.lineno), end, "")
    return Change(*source.span(statement), "pass")
