"""Which handles a function may have been given before another call: a context is connected before it starts.

What a function does it has done for its callers, on whichever object they call it. What runs later than where it is
given away, or is called by nothing here or by Python itself, may find done whatever other code does.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Mapping, Set
from pathlib import Path

from migrate.facts.forest import Forest
from migrate.python.control import Action, Control, Solution, Step, solve
from migrate.python.scopes import FUNCTIONS
from migrate.python.values import Collection, External, Token, Values

Origins = frozenset[Hashable]
_NONE: Origins = frozenset()


class Preceding:
    """Follows the calls of one function, through the functions that hold such calls."""

    def __init__(
        self, forest: Forest, values: Values, controls: Mapping[Path, Control], sites: Mapping[ast.AST, Set[Hashable]]
    ) -> None:
        """sites: the calls of the function, with the origins of the handles in each."""
        self._forest, self._values, self._controls, self._sites = forest, values, controls, sites
        self._callers: dict[ast.AST, frozenset[ast.AST]] = {}
        self._given = {node: frozenset(origins) for node, origins in sites.items()}  # by a call, or in what it calls
        for node, origins in sites.items():
            for function in self._around(node):
                for site in values.callers(function):
                    self._given[site] = self._given.get(site, _NONE) | origins
        self._entries: dict[ast.AST, Origins] = {}
        self._solutions: dict[tuple[ast.AST, Origins], Solution[Origins]] = {}

    def may_precede(self, node: ast.AST, origin: Hashable) -> bool:
        """Whether the handle of an origin may have been given before a node is done."""
        new = self._around(node) - self._entries.keys()
        self._entries.update(dict.fromkeys(new, _NONE))
        while changed := {each: found for each in new if (found := self._at_entry(each)) != self._entries[each]}:
            self._entries.update(changed)
        state = self._before(node)
        return state is None or origin in state

    def _around(self, node: ast.AST) -> frozenset[ast.AST]:
        """Return the function that a node is in, and all that call it, directly or not."""
        innermost = self._forest.of(node).function(node)
        if innermost not in self._callers:
            todo, found = [innermost], set[ast.AST]()
            while todo:
                function = todo.pop()
                if function not in found:
                    found.add(function)
                    todo += [self._forest.of(site).function(site) for site in self._values.callers(function)]
            self._callers[innermost] = frozenset(found)
        return self._callers[innermost]

    def _at_entry(self, function: ast.AST) -> Origins:
        """Return the origins of what may have been given when a function begins, as far as its callers are known."""
        sites = self._values.callers(function)
        if not sites or any(self._runs_later(function, site) for site in sites):
            elsewhere = (origins for node, origins in self._sites.items() if function not in self._around(node))
            found = _NONE.union(*elsewhere)
        else:
            found = _NONE.union(*(self._before(site) or _NONE for site in sites))
        return found - {*ast.walk(function.args)} if isinstance(function, FUNCTIONS) else found

    def _runs_later(self, function: ast.AST, site: ast.expr) -> bool:
        """Whether a call or decorator only passes a function on, or makes a generator or coroutine of it."""
        called = self._values.of(site.func if isinstance(site, ast.Call) else site)
        made = (value.node for value in self._values.of(site) if isinstance(value, Collection))
        return function in made or any(isinstance(value, External | Token) for value in called)

    def _before(self, node: ast.AST) -> Origins | None:
        """Return the origins of what may have been given before a node is done; None where control never comes."""
        function = self._forest.of(node).function(node)
        start = self._entries[function]
        if (function, start) not in self._solutions:
            graph = self._controls[self._forest.path(function)].graph(function)
            self._solutions[function, start] = solve(graph, start, self._transfer, frozenset.union)
        return self._solutions[function, start].before(node)

    def _transfer(self, given: Origins, step: Step) -> Origins:
        """The origin of a handle is the call that makes a new one."""
        if step.action is not Action.DO:
            return given
        return (given - {step.node}) | self._given.get(step.node, _NONE)
