"""Which names of a file other files use: a handle that leaves its file cannot change in one of them alone."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path


def _uses(data: bytes) -> set[tuple[str, str]]:
    """(module, name) of everything that a file takes from other modules, by their last names."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError):
        return set()
    modules: dict[str, str] = {}
    found: set[tuple[str, str]] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {each.asname or each.name.split(".")[0]: each.name.split(".")[-1] for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            home = (node.module or "").split(".")[-1]
            found |= {(home, each.name) for each in node.names}
            modules |= {each.asname or each.name: each.name for each in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in modules:
            found.add((modules[node.value.id], node.attr))
    return found


def shared(files: Mapping[Path, bytes]) -> dict[Path, frozenset[str]]:
    """For every file the names that others of these files take from it ('*' for all of them)."""
    used: dict[str, set[tuple[str, Path]]] = {}
    for path, data in files.items():
        for module, name in _uses(data):
            used.setdefault(module, set()).add((name, path))
    found = {}
    for path in files:
        stem = path.parent.name if path.stem == "__init__" else path.stem
        found[path] = frozenset(name for name, user in used.get(stem, ()) if user != path)
    return found
