"""The syntax trees of all files as one forest: who stands above a node, and in which file."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from migrate.python.scopes import Names


class Forest:
    """Answers for a node of any file what its file's Names answer."""

    def __init__(self, names: Mapping[Path, Names]) -> None:
        self.names = names
        self.parents: dict[ast.AST, ast.AST] = {}
        self._paths: dict[ast.AST, Path] = {}
        for path, file in names.items():
            self.parents.update(file.parents)
            self._paths[file.tree] = path

    def above(self, node: ast.AST) -> Iterator[ast.AST]:
        """Iterate over the nodes around a node, innermost first."""
        while node in self.parents:
            node = self.parents[node]
            yield node

    def path(self, node: ast.AST) -> Path:
        """Return the file that holds a node."""
        while node in self.parents:
            node = self.parents[node]
        return self._paths[node]

    def of(self, node: ast.AST) -> Names:
        """Return the names of the file that holds a node."""
        return self.names[self.path(node)]

    def statement(self, node: ast.AST) -> ast.stmt:
        """Return the statement that holds a node (itself, when it is one)."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def nodes(self) -> Iterator[tuple[Path, ast.AST]]:
        """Iterate over every node of every file, in the order of paths."""
        for path in sorted(self.names):
            for node in ast.walk(self.names[path].tree):
                yield path, node
