"""The syntax trees of all files as one forest: who stands above a node, and in which file."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeVar

from migrate.python.parents import Parents
from migrate.python.scopes import Names

Node = TypeVar("Node", bound=ast.AST)


class Forest(Parents):
    """Answers for a node of any file what its file's Names answer."""

    def __init__(self, names: Mapping[Path, Names]) -> None:
        self.names = names
        self.parents = {}
        self._files: dict[ast.AST, Names] = {}
        self._paths: dict[Names, Path] = {}
        self._by_type: dict[type, dict[Path, list[Any]]] = {}
        for path in sorted(names):
            self.parents.update(names[path].parents)
            self._files.update(dict.fromkeys([names[path].tree, *names[path].parents], names[path]))
            self._paths[names[path]] = path
            found: dict[type, list[Any]] = {}
            for node in names[path].parents:
                found.setdefault(type(node), []).append(node)
            for kind, nodes in found.items():
                self._by_type.setdefault(kind, {})[path] = nodes

    def attach(self, path: Path, node: Node, parent: ast.AST) -> Node:
        """Hang a node that is not in the tree of a file, and is not among its nodes, under one that is."""
        self.names[path].attach(node, parent)
        self.parents[node] = parent
        self._files[node] = self.names[path]
        return node

    def is_in_message(self, node: ast.AST) -> bool:
        """Whether a node stands in what is raised: of use for the text of an error only."""
        return any(isinstance(above, ast.Raise) for above in self.above(node))

    def path(self, node: ast.AST) -> Path:
        """Return the file that holds a node."""
        return self._paths[self._files[node]]

    def of(self, node: ast.AST) -> Names:
        """Return the names of the file that holds a node."""
        return self._files[node]

    def in_file(self, path: Path, kind: type[Node]) -> list[Node]:
        """Return the nodes of one type in a file, in the order of the text."""
        return self._by_type.get(kind, {}).get(path, [])

    def nodes(self, kind: type[Node]) -> Iterator[tuple[Path, Node]]:
        """Iterate over the nodes of one type, subclasses left out: files in the order of paths, each from the top."""
        for path, nodes in self._by_type.get(kind, {}).items():
            for node in nodes:
                yield path, node

    def calls(self, *names: Iterable[str]) -> Iterator[tuple[Path, ast.Call]]:
        """Iterate over the calls of functions and methods with some last names, in the order of `nodes`."""
        found = chain.from_iterable(self._named_calls.get(name, ()) for name in set(chain.from_iterable(names)))
        return ((path, call) for _, path, call in sorted(found, key=itemgetter(0)))

    @cached_property
    def _named_calls(self) -> Mapping[str, list[tuple[int, Path, ast.Call]]]:
        named: dict[str, list[tuple[int, Path, ast.Call]]] = {}
        for number, (path, call) in enumerate(self.nodes(ast.Call)):
            named.setdefault(last_name(call.func), []).append((number, path, call))
        return named


def last_name(node: ast.expr) -> str:
    """Return the last name of a dotted one, "" for any other expression."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
