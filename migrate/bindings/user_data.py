"""User data of the old API: a number or a pointer of C, which is any object of Python."""

from __future__ import annotations

import ast

from migrate.bindings.refusal import USE, NotUnderstood
from migrate.bindings.tokens import CTYPES, Data, Member, Name, Shape, keys
from migrate.python.values import Class, External, Instance, Value, Values

_FIELDS = {"u64": "c_uint64", "ptr": "c_void_p"}
_STRUCTURES = {External("ctypes.Structure"), External("ctypes.Union")}


def given(node: ast.expr, values: Values) -> ast.expr:
    """Return what a program keeps as user data, out of the number or union that C takes."""
    kept = pointed(node, values)
    found = values.of(kept)
    cells = (key for key in keys(found) if isinstance(key, Data) and key.shape is Shape.CELL)
    shown = any(cell.spelling == CTYPES for cell in cells)
    if shown or any(isinstance(value, Instance) and is_structure(value.node, values) for value in found):
        raise NotUnderstood(node, USE)
    return kept


def pointed(node: ast.expr, values: Values) -> ast.expr:
    """Return the pointer or number that casts, int() and types show: `int(ffi.cast("uintptr_t", handle))`."""
    while isinstance(node, ast.Call) and node.args and not node.keywords:
        functions = values.of(node.func)
        if not functions or not all(_shows(function, values, len(node.args)) for function in functions):
            break
        node = node.args[-1]
    return node


def is_union(node: ast.ClassDef, values: Values) -> bool:
    """Whether a class of the program is doca_data to ctypes: the union, or a structure with one of its fields."""
    if not is_structure(node, values) or len(node.body) > 2:
        return False
    statement = node.body[-1]
    if not isinstance(statement, ast.Assign) or ast.unparse(statement.targets[0]) != "_fields_":
        return False
    rows = [row for row in getattr(statement.value, "elts", ()) if isinstance(row, ast.Tuple) and len(row.elts) == 2]
    is_whole = len(rows) == len(getattr(statement.value, "elts", ())) > 0
    return is_whole and all(_is_field(row.elts[0], row.elts[1], values) for row in rows)


def _shows(function: Value, values: Values, count: int) -> bool:
    """Whether a function makes a number or pointer of what it is given, and shows that."""
    if isinstance(function, External):
        return function.name == "builtins.int"
    if isinstance(function, Class):
        return count == 1 and is_union(function.node, values)
    key = next(keys([function]), None)
    if isinstance(key, Name):
        return key.package == CTYPES and key.name in _FIELDS.values() and count == 1
    return isinstance(key, Member) and key.name == "cast"


def is_structure(node: ast.ClassDef, values: Values) -> bool:
    return not _STRUCTURES.isdisjoint(values.bases(node))


def _is_field(name: ast.expr, kind: ast.expr, values: Values) -> bool:
    wanted = _FIELDS.get(str(name.value)) if isinstance(name, ast.Constant) else None
    return {getattr(key, "name", "") for key in keys(values.of(kind))} == {wanted}
