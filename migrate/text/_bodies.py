"""The bodies of a file: the statements of its module, classes and functions, numbered so that two texts compare."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TypeAlias

from migrate.python.scopes import Variable
from migrate.python.source import Source

Key: TypeAlias = tuple[str, int]  # a qualified name, and which of those of that name

_IMPORTS = (ast.Import, ast.ImportFrom)
_STRAIGHT = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Pass)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# What holds statements in each kind of node, in the order of the text.
_BLOCKS: dict[type[ast.AST], tuple[str, ...]] = {
    kind: tuple(name for name in ("body", "handlers", "orelse", "finalbody", "cases") if name in kind._fields)
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.stmt | ast.excepthandler | ast.match_case | ast.mod)
}


class Bodies:
    """keys: of the module, classes and functions; nodes: the same by their key; statements: imports left out."""

    def __init__(self, source: Source) -> None:
        self._names = source.names
        self.keys: dict[ast.AST, Key] = {source.tree: ("", 0)}
        self.statements: dict[Key, list[ast.stmt]] = {("", 0): []}
        self._places: dict[ast.stmt, tuple[Key, int, str]] = {}
        self._number(source.tree)
        self.nodes = {key: node for node, key in self.keys.items()}

    def place(self, use: ast.AST) -> tuple[Key, int]:
        """Return the body that a node stands in, and the number of its statement there."""
        return self._places[self._names.statement(use)][:2]

    def bound_at(self, variable: Variable | None) -> set[tuple[Key, int, str]]:
        """Return which statements bind and delete a variable, by their number in their body."""
        nodes = [*variable.bindings, *variable.deletions] if variable else []
        return {self._places[self._names.statement(node)] for node in nodes}

    def skeleton(self, key: Key) -> list[type[ast.stmt]]:
        """Return the kinds of the statements of a body, as far as they decide on its ways."""
        kinds = map(type, self.statements.get(key, []))
        return [ast.Expr if kind in _STRAIGHT else kind for kind in kinds]

    def _number(self, tree: ast.Module) -> None:
        seen: Counter[str] = Counter()
        todo: list[tuple[ast.AST, Key]] = [(tree, ("", 0))]
        while todo:
            node, outer = todo.pop()
            if isinstance(node, ast.stmt):
                self._place(node, outer)
            if isinstance(node, _SCOPES):
                name = f"{outer[0]}#{outer[1]}.{node.name}"
                outer = self.keys[node] = (name, seen[name])
                self.statements[outer] = []
                seen[name] += 1
            for name in reversed(_BLOCKS[type(node)]):
                todo += [(child, outer) for child in reversed(getattr(node, name))]

    def _place(self, node: ast.stmt, outer: Key) -> None:
        body = self.statements[outer]
        is_import = isinstance(node, _IMPORTS)
        self._places[node] = (outer, len(body), ast.dump(node) if is_import else "")
        if not is_import:
            body.append(node)
