"""Import comch_next where the old module was imported, and keep what is still needed of the old import."""

from __future__ import annotations

import ast
from collections.abc import Iterable

import libcst as cst

from migrate._edits import Edits, Template
from migrate._references import References
from migrate._scopes import Names
from migrate._source import Source

MODERN = "comch_next"


def modern_name(names: Names) -> tuple[str, bool]:
    """The name for comch_next in this file, and whether the file imports it already."""
    taken = {variable.name for scope in names.scopes.values() for variable in scope.variables.values()}
    for variable in names.module.variables.values():
        for binding in variable.bindings:
            if (
                isinstance(binding, ast.alias)
                and binding.name == MODERN
                and isinstance(names.parents[binding], ast.Import)
            ):
                return variable.name, True
    return next(each for each in ("comch", MODERN, "modern_comch", "_comch") if each not in taken), False


def rewrite(
    references: References,
    needed: set[ast.alias],
    in_use: bool,
    source: Source,
    name: str,
    present: bool,
    keep: bool,
) -> Edits:
    """Edits of every old import: `needed` are those that refused code still uses."""
    edits = Edits()
    names = references.names
    done: set[object] = {names.module} if present else set()
    line = f"import {MODERN}" if name == MODERN else f"import {MODERN} as {name}"
    for statement in ast.walk(names.tree):
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        old = [each for each in statement.names if references.flow.imported(each) is not None]
        gone = [] if keep or not in_use else [each for each in old if each not in needed]
        if not gone:
            if old and in_use and names.scope(statement) not in done:
                done.add(names.scope(statement))
                edits.before[statement] = [Template(line)]
            continue
        scope = names.scope(statement)
        lines = [] if scope in done else [Template(line)]
        done.add(scope)
        if len(gone) == len(statement.names):
            edits.statements[statement] = lines
        else:
            edits.before[statement] = lines
            edits.statements[statement] = [Template(_without(source, statement, gone))]
    return edits


def _without(source: Source, statement: ast.Import | ast.ImportFrom, gone: Iterable[ast.alias]) -> str:
    """The import statement without some of its names; comments of the others stay."""
    dropped = {(each.name, each.asname) for each in gone}
    parsed = cst.parse_statement(source.slice(statement))
    imported = cst.ensure_type(parsed, cst.SimpleStatementLine).body[0]
    assert isinstance(imported, cst.Import | cst.ImportFrom)
    assert not isinstance(imported.names, cst.ImportStar)
    kept = [each for each in imported.names if (each.evaluated_name, each.evaluated_alias) not in dropped]
    if not (isinstance(imported, cst.ImportFrom) and imported.rpar):
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return cst.Module([]).code_for_node(imported.with_changes(names=kept))
