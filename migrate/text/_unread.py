"""Assignments that nothing reads any more, as whatever read them has been replaced."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain

from migrate.python.known_calls import NAMESPACES, RUNNING
from migrate.python.scopes import Kind, Names, Variable
from migrate.text._uses import is_covered
from migrate.text.code import Edits

_LOOKING_UP = NAMESPACES | RUNNING  # read variables that are not named


def unread(names: Names, edits: Edits) -> Iterator[ast.Assign]:
    """Yield the assignments of constants to local variables that only replaced code has read."""
    places = chain(edits.expressions, edits.statements)
    read = (part for place in places for part in ast.walk(place) if isinstance(part, ast.Name) and part in names.of)
    for variable in dict.fromkeys(names.of[part] for part in read):
        statement = _only_assignment(variable, names)
        if statement is None or not _is_constant(statement.value, edits):
            continue
        if all(is_covered(load, names, edits) for load in variable.loads) and not _is_named(variable, edits):
            yield statement


def _only_assignment(variable: Variable, names: Names) -> ast.Assign | None:
    """Return the statement that does nothing but bind a variable of a function, if nothing else binds it."""
    if variable.scope.kind is not Kind.FUNCTION or len(variable.bindings) != 1 or variable.deletions:
        return None
    statement = names.parents[variable.bindings[0]]
    return statement if isinstance(statement, ast.Assign) and statement.targets == variable.bindings else None


def _is_constant(value: ast.expr, edits: Edits) -> bool:
    """Whether a value is a constant, or becomes one."""
    return isinstance(value, ast.Constant) or (value in edits.expressions and edits.expressions[value].text.isdigit())


def _is_named(variable: Variable, edits: Edits) -> bool:
    """Whether the text of an edit has the name of a variable, or its function may read what it does not name."""
    word = re.compile(rf"\b{variable.name}\b")
    templates = chain(edits.expressions.values(), edits.statements.values())
    named = (part.id for part in ast.walk(variable.scope.node) if isinstance(part, ast.Name))
    return any(word.search(template.text) for template in templates) or not _LOOKING_UP.isdisjoint(named)
