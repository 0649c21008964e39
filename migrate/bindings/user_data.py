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
    while isinstance(node, ast.Call):
        functions = values.of(node.func)
        if not functions or not all(_shows(function, values, node) for function in functions):
            break
        node = node.args[-1] if node.args else node.keywords[0].value
    return node


def is_union(node: ast.ClassDef, values: Values) -> bool:
    """Whether a class of the program is doca_data to ctypes: the union, or a structure with one of its fields."""
    rows = _rows(node) if is_structure(node, values) else []
    return bool(rows) and all(_is_field(name, kind, values) for name, kind in rows)


def _rows(node: ast.ClassDef) -> list[tuple[ast.expr, ast.expr]]:
    """Return the names and types of the fields that a class lists; nothing where it is more than such a list."""
    statement = node.body[-1]
    is_list = isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "_fields_"
    if len(node.body) > 2 or not is_list or not isinstance(statement, ast.Assign):
        return []
    listed = getattr(statement.value, "elts", ())
    rows = [(row.elts[0], row.elts[1]) for row in listed if isinstance(row, ast.Tuple) and len(row.elts) == 2]
    return rows if len(rows) == len(listed) else []


def types_at_start(node: ast.ClassDef, values: Values) -> dict[object, ast.expr]:
    """Return the types of the fields that are where C reads a number or pointer: all of a union, one of a structure."""
    rows = _rows(node)
    first = rows if External("ctypes.Union") in values.bases(node) else rows[:1]
    return {getattr(name, "value", None): kind for name, kind in first}


def _shows(function: Value, values: Values, call: ast.Call) -> bool:
    """Whether a function makes a number or pointer of what a call gives it, and shows that."""
    count = len(call.args)
    if isinstance(function, Class) and is_union(function.node, values):
        fields = [keyword.arg for keyword in call.keywords]
        return count + len(fields) == 1 and types_at_start(function.node, values).keys() >= {*fields}
    if not count or call.keywords:
        return False
    if isinstance(function, External):
        return function.name == "builtins.int"
    key = next(keys([function]), None)
    if isinstance(key, Name):
        return key.package == CTYPES and key.name in _FIELDS.values() and count == 1
    return isinstance(key, Member) and key.name == "cast"


def is_structure(node: ast.ClassDef, values: Values) -> bool:
    return not _STRUCTURES.isdisjoint(values.bases(node))


def _is_field(name: ast.expr, kind: ast.expr, values: Values) -> bool:
    wanted = _FIELDS.get(str(name.value)) if isinstance(name, ast.Constant) else None
    return {getattr(key, "name", "") for key in keys(values.of(kind))} == {wanted}
