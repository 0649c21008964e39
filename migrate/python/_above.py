"""Uses of names that need no control flow to be seen as bound: the text above them binds the name."""

from __future__ import annotations

import ast

from migrate.python._variables import Variable
from migrate.python.parents import Parents

_TARGETS = (ast.Name, ast.Tuple, ast.List, ast.Starred, ast.alias, ast.withitem)
_BINDING = (ast.Assign, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_OPENING = (ast.For, ast.AsyncFor, ast.With, ast.AsyncWith)  # they bind before their body
# What has several blocks: a statement further below need not come after one above it.
_FORKED = frozenset({"If", "For", "AsyncFor", "While", "Try", "TryStar"})
_BLOCKS = ("body", "orelse", "finalbody")


def reads(variable: Variable) -> list[ast.Name]:
    """Return the names that read or delete a variable."""
    return [use for use in (*variable.loads, *variable.deletions) if not isinstance(use.ctx, ast.Store)]


def doubtful(names: Parents, variable: Variable) -> list[ast.Name]:
    """Return the uses of a variable that no statement above is seen to bind, on all paths to them."""
    uses = reads(variable)
    if variable.deletions or any(isinstance(binding, ast.ExceptHandler) for binding in variable.bindings):
        return uses
    if any(isinstance(binding, ast.arg) for binding in variable.bindings):
        return []
    statements = [_statement(names, binding) for binding in variable.bindings]
    return [use for use in uses if not any(_binds_before(names, statement, use) for statement in statements)]


def _statement(names: Parents, binding: ast.AST) -> ast.AST:
    """Return the statement whose target a binding is, or what else binds there."""
    while isinstance(binding, _TARGETS):
        binding = names.parents[binding]
    return binding


def _binds_before(names: Parents, statement: ast.AST, use: ast.AST) -> bool:
    """Whether a use stands behind a statement in its block, or in the body that it opens, nested code among it."""
    if isinstance(statement, _OPENING):
        return _part(names, statement, use) in statement.body
    if not isinstance(statement, _BINDING):
        return False
    around = names.parents[statement]
    later = _part(names, around, use)
    if not isinstance(later, ast.stmt) or (later.lineno, later.col_offset) <= (statement.lineno, statement.col_offset):
        return False
    blocks = (getattr(around, name, ()) for name in _BLOCKS) if type(around).__name__ in _FORKED else ()
    return all((statement in block) == (later in block) for block in blocks)


def _part(names: Parents, around: ast.AST, use: ast.AST) -> ast.AST | None:
    """Return the child of a node that holds a use."""
    while (above := names.parents.get(use)) is not around and above is not None:
        use = above
    return use if above is around else None
