"""What importing a file of a project does beside giving names: whether an import that nobody needs may go."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from migrate.facts.forest import last_name
from migrate.facts.program import Facts
from migrate.python.modules import is_guard, is_standard, last_part
from migrate.python.values import Class, External, Token, Value
from migrate.text._namer import MODERN

# Modules whose decorators do nothing but to change what they are given.
_QUIET = frozenset({"abc", "builtins", "contextlib", "dataclasses", "enum", "functools", "typing"})
_HOOKS = frozenset({"__init_subclass__", "__set_name__"})


class Effects:
    """Answers for the files of a project."""

    def __init__(self, facts: Facts) -> None:
        self._facts, self._project = facts, facts.project
        self._known: dict[Path, bool] = {}

    def is_inert(self, home: Path, path: Path) -> bool:
        """Whether a file need not import another: it has only definitions, and nobody asks whether it is loaded."""
        files = [file for file in self._around(home) if file.parent not in path.parents or file.stem != "__init__"]
        return all(map(self._is_quiet, files)) and (not files or last_part(home) not in self._asked)

    @cached_property
    def _asked(self) -> frozenset[str]:
        """The names of modules that something takes as an attribute, or looks up."""
        stems = frozenset(map(last_part, self._project.trees))
        attributes = (node.attr for tree in self._project.trees.values() for node in ast.walk(tree)
                      if isinstance(node, ast.Attribute))  # fmt: skip
        return stems.intersection(attributes).union(self._facts.looked_up.words(stems))

    def _around(self, home: Path) -> list[Path]:
        """Return the files that importing one runs: those of the packages around it, and itself."""
        packages = (folder / "__init__.py" for folder in home.parents)
        return [*(file for file in packages if file in self._project.trees and file != home), home]

    def _is_quiet(self, home: Path) -> bool:
        """Whether importing a file does nothing but to make what it defines."""
        if home not in self._known:
            self._known[home] = True  # files may import each other
            tree = self._project.trees.get(home)
            self._known[home] = tree is None or self._are_definitions(home, tree.body)
        return self._known[home]

    def _are_definitions(self, path: Path, body: Iterable[ast.stmt]) -> bool:
        return all(self._is_definition(path, statement) for statement in body)

    def _is_definition(self, path: Path, node: ast.stmt) -> bool:
        """Whether a statement only binds names of its own, to things that need no call of its own to be made."""
        if isinstance(node, ast.Import | ast.ImportFrom):
            return all(map(self._is_quiet, self._imported(path, node))) and self._is_known(path, node)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return _makes_no_call(node.args) and all(map(self._is_quiet_decorator, node.decorator_list))
        if isinstance(node, ast.ClassDef):
            made = [*node.bases, *(keyword.value for keyword in node.keywords)]
            quiet = all(map(self._is_quiet_base, made)) and all(map(self._is_quiet_decorator, node.decorator_list))
            return quiet and self._are_definitions(path, node.body)
        if isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            return _makes_no_call(node) and all(isinstance(target, ast.Name) for target in targets)
        if isinstance(node, ast.If) and last_name(node.test) == "TYPE_CHECKING":
            return self._are_definitions(path, node.orelse)
        return isinstance(node, ast.Pass) or is_guard(node) or (isinstance(node, ast.Expr) and _makes_no_call(node))

    def _imported(self, path: Path, node: ast.Import | ast.ImportFrom) -> list[Path]:
        """Return the files of the project that an import runs."""
        if isinstance(node, ast.Import):
            found = [self._project.resolve(path, alias.name) for alias in node.names]
        else:
            home = self._project.home(path, node)
            found = [home, *(self._project.submodule(home, alias.name) for alias in node.names if home)]
        return [each for file in found if file is not None for each in self._around(file) if each != path]

    def _is_known(self, path: Path, node: ast.Import | ast.ImportFrom) -> bool:
        """Whether imported modules are of the project, of Python, or of the libraries that this is about."""
        if isinstance(node, ast.ImportFrom) and (node.level or self._project.home(path, node) is not None):
            return True
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        outside = (name for name in names if self._project.resolve(path, name) is None)
        return all(it == MODERN or is_standard(it) or self._facts.vocabulary.owns(it) for it in outside)

    def _is_quiet_decorator(self, node: ast.expr) -> bool:
        function = node.func if isinstance(node, ast.Call) else node
        arguments = [*node.args, *node.keywords] if isinstance(node, ast.Call) else []
        found = self._facts.values.of(function)
        names = [value.name.partition(".")[0] for value in found if isinstance(value, External)]
        return len(names) == len(found) > 0 and _QUIET.issuperset(names) and all(map(_makes_no_call, arguments))

    def _is_quiet_base(self, node: ast.expr) -> bool:
        found = self._facts.values.of(node)
        return bool(found) and _makes_no_call(node) and all(map(self._has_no_hooks, found))

    def _has_no_hooks(self, value: Value) -> bool:
        """Whether a class does nothing when another one extends it."""
        if isinstance(value, Class):
            bases = [base for base in self._facts.values.bases(value.node) if isinstance(base, Class)]
            hooks = (getattr(statement, "name", "") for base in bases for statement in base.node.body)
            return _HOOKS.isdisjoint(hooks) and not any(base.node.keywords for base in bases)
        return isinstance(value, Token) or (isinstance(value, External) and is_standard(value.name))


def _makes_no_call(node: ast.AST) -> bool:
    return not any(isinstance(part, ast.Call | ast.Await | ast.Yield | ast.NamedExpr) for part in ast.walk(node))
