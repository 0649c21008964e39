"""The ancestors of a node of a syntax tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator


class Parents:
    """Answers for trees of which `parents` has the node above each."""

    parents: dict[ast.AST, ast.AST]

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """Iterate over the nodes around a node, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def statement(self, node: ast.AST) -> ast.stmt:
        """Return the statement that holds a node (itself, when it is one)."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node
