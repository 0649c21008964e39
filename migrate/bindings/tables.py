"""Tables of prototypes, and the loops that read and fill them: they go where they do nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set

from migrate.bindings.libraries import Libraries
from migrate.bindings.tokens import Computed, keys
from migrate.facts.forest import Forest
from migrate.python.listing import listed
from migrate.python.scopes import Variable
from migrate.python.values import Values


def is_listed(variable: Variable, forest: Forest) -> bool:
    """Whether `__all__` names a variable, which others may take then."""
    return variable.name in listed(forest.of(variable.scope.node))


def unbinding(forest: Forest, gone: Set[ast.stmt]) -> list[tuple[ast.Delete, list[ast.expr]]]:
    """Return each `del` of names that are bound nowhere but in some statements, with what else it unbinds."""

    def is_gone(target: ast.expr) -> bool:
        bindings = forest.of(target).of[target].bindings if isinstance(target, ast.Name) else ()
        return bool(bindings) and all(any(above in gone for above in forest.above(binding)) for binding in bindings)

    found = []
    for _, statement in forest.nodes(ast.Delete) if gone else ():
        left = [target for target in statement.targets if not is_gone(target)]
        if len(left) < len(statement.targets):
            found.append((statement, left))
    return found


class Tables:
    """Finds what goes with the statements that only declare functions. `read`: what the loops among them go through."""

    def __init__(self, forest: Forest, values: Values, libraries: Libraries, declaring: Iterable[ast.stmt]) -> None:
        self._forest, self._values, self._libraries = forest, values, libraries
        self._declaring = frozenset(declaring)
        self.read: list[ast.expr] = []
        self._tables = self._displays()

    def gone(self) -> set[ast.stmt]:
        """Return every statement that goes."""
        while True:
            gone = self._closure()
            kept = {table for table in self._tables if not self._is_only_in(table, gone)}
            if not kept:
                return gone
            self._tables -= kept

    def _displays(self) -> set[Variable]:
        """Return the variables that are bound to one dictionary."""
        found = set()
        for _, statement in self._forest.nodes(ast.Assign):
            target = statement.targets[0]
            if isinstance(target, ast.Name) and isinstance(statement.value, ast.Dict):
                variable = self._forest.of(target).of[target]
                if len(variable.bindings) == 1 and self._libraries.is_plain(statement.value):
                    found.add(variable)
        return found

    def _is_only_in(self, table: Variable, gone: set[ast.stmt]) -> bool:
        if is_listed(table, self._forest):
            return False
        around = ((load, *self._forest.above(load)) for load in table.loads)
        return all(not gone.isdisjoint(place for place in above if isinstance(place, ast.stmt)) for above in around)

    def _closure(self) -> set[ast.stmt]:
        gone = set(self._declaring)
        size = -1
        while size < len(gone):
            size = len(gone)
            gone.update(node for _, node in self._forest.nodes(ast.Assign) if self._only_takes(node, gone))
            gone.update(node for _, node in self._forest.nodes(ast.If) if self._is_empty(node, node.test, gone))
            gone.update(node for _, node in self._forest.nodes(ast.For) if self._is_empty(node, node.iter, gone))
        loops = (node for _, node in self._forest.nodes(ast.For) if node in gone)
        self.read = [loop.iter for loop in loops]
        return gone

    def _only_takes(self, statement: ast.Assign, gone: set[ast.stmt]) -> bool:
        """Whether a statement takes a function that is only declared, or fills a table."""
        target = statement.targets[0]
        if isinstance(target, ast.Name) and len(statement.targets) == 1:
            computed = any(isinstance(key, Computed) for key in keys(self._values.of(statement.value)))
            loads = self._forest.of(target).of[target].loads if computed else []
            return computed and all(self._forest.statement(load) in gone for load in loads)
        filled = all(
            isinstance(part, ast.Subscript)
            and isinstance(part.value, ast.Name)
            and self._forest.of(part).of[part.value] in self._tables
            and self._libraries.is_plain(part.slice)
            for part in statement.targets
        )
        return filled and self._libraries.is_plain(statement.value)

    def _is_empty(self, statement: ast.If | ast.For, read: ast.expr, gone: set[ast.stmt]) -> bool:
        return not statement.orelse and gone.issuperset(statement.body) and self._libraries.is_plain(read)
