"""Lengths that C wants beside bytes."""

from __future__ import annotations

import ast

from migrate.facts.program import Facts


def is_whole(message: ast.expr, length: ast.expr, facts: Facts) -> bool:
    """Whether a length is certainly the number of the message's bytes."""
    if isinstance(message, ast.Constant) and isinstance(message.value, bytes) and isinstance(length, ast.Constant):
        return length.value == len(message.value)
    if not isinstance(length, ast.Call) or not isinstance(length.func, ast.Name) or len(length.args) != 1:
        return False
    same = ast.dump(length.args[0]) == ast.dump(message) and facts.is_simple(message) and facts.is_bytes(message)
    return same and length.func.id == "len" and not length.keywords and facts.is_builtin(length.func)
