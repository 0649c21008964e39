"""Import comch_next where the old module was imported, and keep what is still needed of the old import."""

from __future__ import annotations

import ast
from collections.abc import Set
from itertools import chain, count

import libcst as cst

from migrate._edits import Edits, Template
from migrate._references import References
from migrate._scopes import Names
from migrate._source import Source

MODERN = "comch_next"


def modern_name(names: Names) -> tuple[str, bool]:
    """The name for comch_next in this file, and whether the file imports it already."""
    for variable in names.module.variables.values():
        if _is_modern_only(names, variable.name) and any(
            names.function(each) is names.tree for each in variable.bindings
        ):
            return variable.name, True
    taken = {variable.name for scope in names.scopes.values() for variable in scope.variables.values()}
    more = (f"_comch_{number}" for number in count(2))
    wanted = chain(("comch", MODERN, "modern_comch", "_comch"), more)
    return next(each for each in wanted if each not in taken), False


def _is_modern_only(names: Names, name: str) -> bool:
    """Whether a name means comch_next wherever it is bound, and is never taken away."""
    found = [scope.variables[name] for scope in names.scopes.values() if name in scope.variables]
    bindings = [each for variable in found for each in variable.bindings]
    deleted = any(each.id == name and isinstance(each.ctx, ast.Del) for each in names.of)
    return not deleted and all(
        isinstance(each, ast.alias) and each.name == MODERN and isinstance(names.parents[each], ast.Import)
        for each in bindings
    )


def rewrite(references: References, gone: Set[ast.AST], used: bool, source: Source) -> Edits:
    """Edits of every old import: the aliases in `gone` go; where `used`, comch_next comes, once in a scope."""
    edits = Edits()
    names = references.names
    name, present = modern_name(names)
    line = Template(f"import {MODERN}" if name == MODERN else f"import {MODERN} as {name}")
    done: set[object] = {names.module} if present else set()
    for statement in ast.walk(names.tree):
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            continue
        old = [each for each in statement.names if each in references.imports and references.flow.imported(each)]
        dropped = [each for each in old if each in gone]
        scope = names.scope(statement)
        new = [line] if old and used and scope not in done else []
        done |= {scope} if new else set()
        if old and len(dropped) == len(statement.names):
            edits.statements[statement] = new
            continue
        if new:
            edits.before[statement] = new
        if dropped:
            edits.statements[statement] = [Template(_without(source, statement, dropped))]
    return edits


def _without(source: Source, statement: ast.Import | ast.ImportFrom, gone: list[ast.alias]) -> str:
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
