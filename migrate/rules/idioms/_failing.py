"""A check for a code that is not SUCCESS."""

from __future__ import annotations

import ast

from migrate.facts.program import Facts


def is_failure(facts: Facts, check: ast.If, code: str) -> bool:
    """Whether a check is for a code that is not SUCCESS, without else."""
    if check.orelse:
        return False
    match check.test:
        case ast.Name(id=name):
            return name == code
        case ast.Call(args=[ast.Name(id=name)]) as test:
            macro = facts.calls.get(test)
            return macro is not None and macro.function == "DOCA_IS_ERROR" and name == code
        case ast.Compare(left=left, ops=[ast.NotEq()], comparators=[right]):
            sides = [left, right] if isinstance(left, ast.Name) and left.id == code else [right, left]
            is_code = isinstance(sides[0], ast.Name) and sides[0].id == code
            return is_code and type(value := facts.constant(sides[1])) is int and value == 0
    return False
