"""Structs of DOCA 1.2 to 1.4 that programs of ctypes declare: the old module's classes in their place.

class InitAttr(Structure):                      from doca_comm_channel import doca_comm_channel_init_attr as InitAttr
    _fields_ = [("cookie", c_uint32), ...]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from migrate.bindings.analysis import Analysis
from migrate.bindings.numbers import bounds
from migrate.bindings.removing import without
from migrate.bindings.tokens import CTYPES, Name, keys
from migrate.old_api._tables import STRUCTS
from migrate.old_api.generation_1x import PACKAGE
from migrate.python.values import External
from migrate.text.pieces import Change

_FIELDS = "_fields_"
_Row = tuple[str, ast.expr]  # the name of a field, and the expression of its type
_Names = Mapping[str, str]


class _Unknown(Exception):
    """Something else than a list of fields."""


class OwnStructs:
    """The changes of all files of a project."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis, self._forest = analysis, analysis.forest
        self._classes = [node for _, node in self._forest.nodes(ast.ClassDef) if _declared(node)]
        if not analysis.vocabulary.renamed:
            self._classes = []

    def changes(self) -> dict[Path, list[Change]]:
        """Return the changes of each file that has any."""
        found: dict[Path, list[Change]] = {}
        for node in self._classes:
            if name := self._name(node):
                path = self._forest.path(node)
                gone = without(self._analysis.sources[path], self._forest, node)
                end = "\n" * (not gone.text)
                alias = f" as {node.name}" if name != node.name else ""
                text = f"{' ' * node.col_offset}from {PACKAGE} import {name}{alias}{end}"
                found.setdefault(path, []).append(Change(gone.start, gone.end, text if end else text.lstrip()))
        return found

    def _name(self, node: ast.ClassDef) -> str:
        """Return the struct that a class declares; nothing for any other class."""
        if External("ctypes.Structure") not in self._analysis.values.bases(node):
            return ""
        try:
            rows = [(name, self._limits(kind)) for name, kind in _rows(_declared(node), {})]
        except _Unknown:
            return ""
        named = (name for name, fields in STRUCTS.items() if rows == [(field, bounds(kind)) for field, kind in fields])
        return next(named, "")

    def _limits(self, kind: ast.expr) -> tuple[int, int] | None:
        """Return the numbers that a field of a type holds."""
        found = [*keys(self._analysis.values.of(kind))]
        known = len(found) == 1 and isinstance(found[0], Name) and found[0].package == CTYPES
        return bounds(found[0].name) if known and isinstance(found[0], Name) else None


def _declared(node: ast.ClassDef) -> ast.expr | None:
    """Return the list of fields of a class that is nothing but that."""
    body = [each for each in node.body if not (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))]
    statement = body[0] if len(body) == 1 and not node.decorator_list and len(node.bases) == 1 else None
    if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == _FIELDS:
        return statement.value
    return None


def _rows(node: ast.expr | None, names: _Names) -> Iterator[_Row]:
    """Yield the fields that an expression lists."""
    if isinstance(node, ast.List | ast.Tuple):
        for part in node.elts:
            yield from _rows(part.value, names) if isinstance(part, ast.Starred) else [_row(part, names)]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _rows(node.left, names)
        yield from _rows(node.right, names)
    elif isinstance(node, ast.ListComp | ast.GeneratorExp) and len(node.generators) == 1:
        turn = node.generators[0]
        if turn.ifs or not isinstance(turn.target, ast.Name):
            raise _Unknown
        for text in _texts(turn.iter):
            yield _row(node.elt, {**names, turn.target.id: text})
    else:
        raise _Unknown


def _row(node: ast.expr, names: _Names) -> _Row:
    name, kind = node.elts if isinstance(node, ast.Tuple) and len(node.elts) == 2 else (node, node)
    text = names.get(name.id) if isinstance(name, ast.Name) else getattr(name, "value", None)
    if not isinstance(text, str):
        raise _Unknown
    return text, kind


def _texts(node: ast.expr) -> list[str]:
    """Return the texts that an expression lists: ("a", "b"), or "a b".split()."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args:
        text = node.func.value.value if isinstance(node.func.value, ast.Constant) else None
        if node.func.attr == "split" and isinstance(text, str):
            return text.split()
    parts = [getattr(part, "value", None) for part in getattr(node, "elts", [None])]
    if not all(isinstance(part, str) for part in parts):
        raise _Unknown
    return [str(part) for part in parts]
