"""The logical lines of a file, read off the syntax tree: where the line begins that a node stands on."""

from __future__ import annotations

import ast

from migrate.python.scopes import Names
from migrate.python.source import Source

_OWNERS = (ast.stmt, ast.excepthandler, ast.match_case)


class Lines:
    """Answers with physical line numbers, from 1."""

    def __init__(self, source: Source, names: Names) -> None:
        self.source = source
        self.names = names
        self._beside: dict[ast.AST, ast.AST] = {}  # statement -> the one before it in its block

    def first(self, node: ast.AST) -> int:
        """Return the line where the logical line of a node begins."""
        owner = self._owner(node)
        line = _line(owner)
        while not self._is_first(owner):
            before = self._before(owner)
            owner = before if before is not None else self._owner(self.names.parents[owner])
            line = _line(owner)
        return line

    def _owner(self, node: ast.AST) -> ast.AST:
        """Return what a node's logical line belongs to: a statement, a decorator, a handler or a case."""
        above = self.names.parents.get(node)
        while above is not None and not isinstance(node, _OWNERS):
            if node in getattr(above, "decorator_list", ()):
                return node
            node, above = above, self.names.parents.get(above)
        return node

    def _is_first(self, owner: ast.AST) -> bool:
        if isinstance(owner, ast.match_case | ast.Module):
            return True
        assert isinstance(owner, ast.stmt | ast.excepthandler | ast.expr)
        start = self.source.offset(owner.lineno, owner.col_offset)
        before = self.source.text[self.source.line_start(owner.lineno) : start].strip(" \t\f")
        return before in ("", "async") or before.startswith("@") or isinstance(owner, ast.excepthandler)

    def _before(self, owner: ast.AST) -> ast.AST | None:
        """Return the statement before one in its block."""
        if owner not in self._beside:
            parent = self.names.parents[owner]
            for name in ("body", "orelse", "finalbody"):
                block = getattr(parent, name, None)
                if isinstance(block, list):
                    self._beside |= dict(zip(block[1:], block, strict=False))
        return self._beside.get(owner)


def _line(owner: ast.AST) -> int:
    node = owner.pattern if isinstance(owner, ast.match_case) else owner
    return int(getattr(node, "lineno", 1))
