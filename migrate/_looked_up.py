"""Names that the files of a project may look up in each other: by texts, undecided attributes, computed names."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Set
from functools import cached_property
from pathlib import Path

from migrate.facts.known_calls import LOOKING_UP, NAMESPACES
from migrate.python.modules import Project
from migrate.text.listing import listings

_WORD = re.compile(r"\w+")
_NAMESPACES = NAMESPACES | {"dir"}
_LOOKING_UP = LOOKING_UP | {"setattr", "delattr"}
_RUNNING = frozenset({"eval", "exec"})
# What reads names from texts; where a project has none of it, a text that is a name is one that is shown.
_READING = _NAMESPACES | _LOOKING_UP | _RUNNING | {
    "__dict__", "__import__", "attrgetter", "getmembers", "import_module", "methodcaller", "modules", "patch",
    "run_module", "run_path",
}  # fmt: skip


class LookedUp:
    """What the files of a project look up in each other. Statements that make `__all__` look nothing up.

    known: places of which it is decided whether they change.
    """

    def __init__(self, project: Project, known: Set[ast.AST]) -> None:
        self._project, self._known = project, known
        self._nodes: dict[Path, list[ast.AST]] = {}
        for path, tree in project.trees.items():
            listing = {part for statement in listings(project.names(path)) for part in ast.walk(statement)}
            self._nodes[path] = [node for node in ast.walk(tree) if node not in listing]

    def words(self, wanted: Set[str]) -> frozenset[str]:
        """Return the wanted names that are in texts which are Python, and every undecided attribute."""
        found: set[str] = set()
        for path, nodes in self._nodes.items():
            for node in nodes:
                if node in self._known:
                    continue
                if isinstance(node, ast.Attribute):
                    found.update([node.attr] if self._may_be_of_project(path, node.value) else ())
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    is_read = self._reads_texts or not node.value.isidentifier()
                    found.update(_names_in(node.value, wanted) if is_read else ())
        return frozenset(found)

    def files(self) -> frozenset[Path]:
        """Return the files in which names are looked up that are computed."""
        return frozenset(found for path in self._nodes for found in self._files(path))

    @cached_property
    def _reads_texts(self) -> bool:
        """Whether something in the project may look up what a text names."""
        nodes = (node for nodes in self._nodes.values() for node in nodes)
        return any(getattr(node, "id", getattr(node, "attr", getattr(node, "name", ""))) in _READING for node in nodes)

    def _may_be_of_project(self, path: Path, base: ast.expr) -> bool:
        """Whether an expression may be a module of the project: no method's own object, no module of others."""
        if not isinstance(base, ast.Name):
            return True
        names = self._project.names(path)
        bindings = names.of[base].bindings
        foreign = bindings and all(self._is_foreign(path, names.parents[it], it) for it in bindings)
        return base.id not in ("self", "cls") and not foreign

    def _is_foreign(self, path: Path, statement: ast.AST, binding: ast.AST) -> bool:
        """Whether a binding is an import from outside of the project."""
        if isinstance(statement, ast.ImportFrom):
            return self._project.home(path, statement) is None
        imports = isinstance(statement, ast.Import) and isinstance(binding, ast.alias)
        return imports and self._project.resolve(path, binding.name) is None  # type: ignore[attr-defined]

    def _files(self, path: Path) -> Iterator[Path]:
        """Iterate over the files in which one file looks computed names up."""
        for node in self._nodes[path]:
            if isinstance(node, ast.Attribute) and node.attr == "__dict__":
                yield from self._modules(path, node.value)
            elif isinstance(node, ast.Call):
                called = getattr(node.func, "id", getattr(node.func, "attr", ""))
                computed = not all(isinstance(argument, ast.Constant) for argument in node.args[-1:])
                if (called in _NAMESPACES and not node.args) or (called in _RUNNING and computed):
                    yield from (path, *self._project.starred(path))
                elif called in _NAMESPACES | {"getmembers"} or (called in _LOOKING_UP and len(node.args) > 1):
                    is_written = called in _LOOKING_UP and isinstance(node.args[1], ast.Constant)
                    yield from () if is_written else self._modules(path, node.args[0])

    def _modules(self, path: Path, node: ast.expr) -> Iterator[Path]:
        """Iterate over the files of the project that an expression means as a module."""
        for binding in self._project.names(path).of[node].bindings if isinstance(node, ast.Name) else ():
            module = self._project.module(path, binding)
            if module is not None:
                yield from (module, *self._project.starred(module))


def _names_in(text: str, wanted: Set[str]) -> Set[str]:
    """Return the wanted words of a text, if it is Python, or has examples of it."""
    found = wanted & set(_WORD.findall(text))
    if found and ">>>" not in text and not text.isidentifier():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return frozenset()
    return found
