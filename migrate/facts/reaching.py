"""Which of the values stored in a local variable can still be there where it is read."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeAlias

from migrate.facts.forest import Forest
from migrate.python.control import Action, Control, Solution, Step, solve
from migrate.python.scopes import Variable
from migrate.python.values import Collection, External, Plain, Value, Values

State: TypeAlias = "frozenset[ast.Name]"  # the stores whose value a variable may have


class Reaching:
    """Follows the stores to variables through the graph of the one function that binds them."""

    def __init__(
        self,
        forest: Forest,
        values: Values,
        controls: Mapping[Path, Control],
        passed_through: Callable[[ast.expr], ast.expr | None] = lambda node: None,
    ) -> None:
        """passed_through: returns the argument that an expression has the value of, nothing for most."""
        self._forest, self._values, self._controls = forest, values, controls
        self._passed_through = passed_through
        self._solutions: dict[ast.AST, Solution[State]] = {}

    def of(self, node: ast.expr) -> frozenset[Value]:
        """Return what an expression can be where it stands, as far as the order of stores shows."""
        everything = self._values.of(node)
        argument = self._passed_through(node) if len(everything) > 1 else None
        if argument is not None:
            return everything & self.of(argument)
        if not isinstance(node, ast.Name) or len(everything) < 2:
            return everything
        names = self._forest.of(node)
        function, variable = names.function(node), names.of[node]
        if not self._is_followed(variable, function):
            return everything
        if isinstance(node.ctx, ast.Store):
            return everything & self._stored(node)
        state = self._solution(function).before(node)
        stores = [store for store in state or () if names.of[store] is variable]
        found: frozenset[Value] = frozenset().union(*map(self._stored, stores))
        return everything & found if stores else everything

    def _is_followed(self, variable: Variable, function: ast.AST) -> bool:
        """Whether all stores to a variable are names in the code of one function."""
        names = self._forest.of(function)
        return all(isinstance(node, ast.Name) and names.function(node) is function for node in variable.bindings)

    def _solution(self, function: ast.AST) -> Solution[State]:
        if function not in self._solutions:
            graph = self._controls[self._forest.path(function)].graph(function)
            transfer = partial(self._transfer, self._forest.of(function).of)
            self._solutions[function] = solve(graph, frozenset[ast.Name](), transfer, frozenset.union)
        return self._solutions[function]

    def _transfer(self, variables: Mapping[ast.AST, Variable], state: State, step: Step) -> State:
        node = step.node
        if step.action is not Action.DO or not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Load):
            return state
        return frozenset(store for store in state if variables[store] is not variables[node]) | {node}

    def _stored(self, store: ast.Name) -> frozenset[Value]:
        """Return what a store puts into its variable."""
        parent = self._forest.parents[store]
        if isinstance(parent, ast.Assign | ast.AnnAssign | ast.NamedExpr):
            return self._values.of(parent.value) if parent.value else frozenset()
        if isinstance(parent, ast.For) and parent.target is store:
            return self._items(parent.iter) or self._values.of_target(store)
        above = self._forest.parents.get(parent)
        whole = self._values.of(above.value) if isinstance(above, ast.Assign) else frozenset()
        if isinstance(parent, ast.Tuple | ast.List) and whole and all(isinstance(each, Collection) for each in whole):
            index = parent.elts.index(store)
            plain = not any(isinstance(item, ast.Starred) for item in parent.elts[:index])
            items = (self._values.item(each, index) for each in whole if isinstance(each, Collection))
            return frozenset().union(*items) if plain else self._values.of_target(store)
        return self._values.of_target(store)

    def _items(self, node: ast.expr) -> frozenset[Value]:
        """Return what a loop goes through; nothing where that is not the same as what is in a collection."""
        if isinstance(node, ast.Call) and self._values.of(node.func) == {External("builtins.range")}:
            return frozenset({Plain.OTHER})
        found = self._values.of(node)
        plain = all(isinstance(each, Collection) and each.kind in ("list", "tuple", "set") for each in found)
        return self._values.inside(found) if plain else frozenset()
