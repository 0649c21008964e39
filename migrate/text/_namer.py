"""Chooses the names of comch_next in a file: one for each scope that imports it, unused otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from itertools import chain, count

from migrate.python.scopes import Names, Scope, Variable

MODERN = "comch_next"
_WANTED = ("comch", MODERN, "modern_comch")


class Namer:
    """Collects the uses of the new module by the scope that they find it in, then names it in each.

    clashes: names that the module itself may not bind.
    """

    def __init__(self, names: Names, clashes: Set[str] = frozenset()) -> None:
        self.names, self._clashes = names, clashes
        self.of: dict[Scope, str] = {}
        self._uses: dict[Scope, list[ast.AST]] = {}
        self._home: dict[ast.AST, Scope] = {}
        self._bound: dict[str, list[Variable]] = {}
        scopes = {names.module: None, **{variable.scope: None for variable in names.of.values()}}
        for scope in scopes:
            for variable in scope.variables.values():
                self._bound.setdefault(variable.name, []).append(variable)

    def use(self, node: ast.AST, scope: Scope) -> None:
        """Note that an edited node finds the new module in a scope."""
        self._uses.setdefault(scope, []).append(node)
        self._home[node] = scope

    def name(self, node: ast.AST) -> str:
        """Return the new module's name at an edited node."""
        return self.of[self._home[node]] if node in self._home else _WANTED[0]

    def choose(self) -> None:
        """Choose a name for every scope that has uses, the outermost first."""
        for scope in sorted(self._uses, key=lambda scope: sum(1 for _ in self._outer(scope))):
            self.choose_for(scope)

    def choose_for(self, scope: Scope) -> str:
        """Choose a name for a scope."""
        more = (f"comch_{number}" for number in count(2))
        wanted = chain(filter(None, [self.existing(scope)]), _WANTED, more)
        self.of[scope] = next(name for name in wanted if self._is_free(name, scope))
        return self.of[scope]

    def existing(self, scope: Scope) -> str:
        """Return the name by which a scope imports comch_next already, "" if it does not."""
        for variable in scope.variables.values():
            if self._is_modern(variable):
                return variable.name
        return ""

    def is_unused(self, name: str) -> bool:
        """Whether no scope of the file has a variable of some name."""
        return name not in self._bound

    def _is_modern(self, variable: Variable) -> bool:
        """Whether a variable is nothing but comch_next as long as it is bound."""
        whole = not variable.deletions and not variable.declarations and variable.bindings
        return bool(whole) and all(is_modern(self.names, binding) for binding in variable.bindings)

    def _is_free(self, name: str, scope: Scope) -> bool:
        uses = self._uses.get(scope, [])
        if scope is self.names.module and name in self._clashes and name != self.existing(scope):
            return False
        for variable in self._bound.get(name, ()):
            if variable.scope is scope and self._is_modern(variable):
                continue
            if not self._is_modern(variable) or variable.scope is scope:
                return False
            if any(self._is_within(node, variable.scope) for node in uses):
                return False  # hidden from some of the uses
            if any(self._is_within(load, scope) for load in variable.loads):
                return False  # would hide the program's own
        for outer in self._outer(scope):
            if self.of.get(outer) == name and any(self._is_within(node, scope) for node in self._uses.get(outer, ())):
                return False
        return True

    def _outer(self, scope: Scope) -> Iterator[Scope]:
        parent = scope.parent
        while parent is not None:
            yield parent
            parent = parent.parent

    def _is_within(self, node: ast.AST, scope: Scope) -> bool:
        return any(above is scope.node for above in self.names.above(node))


def is_modern(names: Names, node: ast.AST) -> bool:
    """Whether an alias is one of `import comch_next` or `import comch_next as name`."""
    return isinstance(node, ast.alias) and node.name == MODERN and isinstance(names.parents[node], ast.Import)


def modern_imports(names: Names) -> set[ast.stmt]:
    """Return the statements that import comch_next so."""
    variables = (names.of[node] for node in names.of if isinstance(node, ast.alias))
    aliases = (alias for variable in variables for alias in variable.bindings if isinstance(alias, ast.alias))
    return {names.statement(alias) for alias in aliases if is_modern(names, alias)}
