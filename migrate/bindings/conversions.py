"""What a flat function is given in the place of what C takes."""

from __future__ import annotations

import ast

from migrate.bindings.refusal import USE, NotUnderstood
from migrate.bindings.tokens import CTYPES
from migrate.old_api.vocabulary import Function as Signature
from migrate.old_api.vocabulary import Parameter

NAME = "const char *"


def takes_name(function: Signature) -> bool:
    """Whether a function is given the name of a service, up to a NUL in C."""
    return any(parameter.ctype == NAME and parameter.is_input for parameter in function.parameters)


def takes_texts(function: Signature) -> bool:
    """Whether a flat function takes a text where C takes bytes; those of the first generation take both."""
    return takes_name(function) and function.name.startswith("doca_cc_")


def initial(node: ast.expr) -> ast.expr:
    """Return the value that cffi makes a union of: `{"u64": number}`."""
    if not isinstance(node, ast.Dict) or len(node.keys) != 1 or not isinstance(node.keys[0], ast.Constant):
        raise NotUnderstood(node, USE)
    if node.keys[0].value not in ("u64", "ptr"):
        raise NotUnderstood(node, USE)
    return node.values[0]


def converted(parameter: Parameter, spelling: str, function: Signature) -> str:
    """Return what a flat function is given for an argument of C."""
    name = parameter.name
    if parameter.is_output:
        return f"{name}[0]"
    if parameter.ctype == NAME:
        return f"{name} and {name}.decode()" if takes_texts(function) else name
    is_cell = spelling == CTYPES and not parameter.callback and not parameter.is_user_data
    return f"{name}[0] if isinstance({name}, list) else {name}" if is_cell and _is_single(parameter) else name


def _is_single(parameter: Parameter) -> bool:
    """Whether an argument of ctypes may be a cell: a handle or a number, no buffer."""
    return bool(parameter.kind) or "*" not in parameter.ctype
