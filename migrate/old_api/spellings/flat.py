"""The C names as Python functions: inputs in C order, the result code alone or a tuple of it and the outputs."""

from __future__ import annotations

import ast

from migrate.old_api.calls import Call, sort
from migrate.old_api.vocabulary import Function


def read(node: ast.Call, function: Function, receiver: ast.expr | None = None) -> Call:
    """Sort the arguments of a call; a flat call has no receiver."""
    names = dict(zip(function.inputs, function.inputs, strict=True))
    arguments, problem = sort(node, names, frozenset())
    if problem and not names and node.args:
        problem = "CCM023"  # attributes, as before DOCA 1.5
    return Call(node, function, "flat", arguments, function.results, problem)
