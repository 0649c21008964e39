"""Where an endpoint or device may have been destroyed or closed before."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from migrate.facts.forest import Forest
from migrate.facts.places import Place, place_of
from migrate.facts.tokens import Handle
from migrate.old_api.calls import Call
from migrate.python.control import Action, Control, Step, solve
from migrate.python.values import Token, Values

_ENDING = ("_ep_destroy", "_close")


class Endings:
    """Follows the calls that end handles, through the functions that hold such calls."""

    def __init__(
        self, forest: Forest, values: Values, controls: Mapping[Path, Control], calls: Mapping[ast.Call, Call]
    ) -> None:
        self._forest, self._values, self._controls = forest, values, controls
        self._enders: dict[Handle, set[ast.AST]] = {}  # calls that end a handle, and functions that may
        for node, call in calls.items():
            if call.function.endswith(_ENDING) and call.arguments:
                for handle in self._handles(next(iter(call.arguments.values()))):
                    self._enders.setdefault(handle, set()).add(node)
        for enders in self._enders.values():
            self._spread(enders)

    def may_be_closed(self, node: ast.expr) -> bool:
        """Whether what an expression holds may have been destroyed or closed before it is evaluated."""
        handles = frozenset(self._handles(node)) & frozenset(self._enders)
        return bool(handles) and self._is_closed(node, place_of(node, self._forest.of(node)), handles, set())

    def _handles(self, node: ast.expr) -> list[Handle]:
        values = self._values.of(node)
        return [value.key for value in values if isinstance(value, Token) and isinstance(value.key, Handle)]

    def _spread(self, enders: set[ast.AST]) -> None:
        """Add the functions that hold an ender, and so on."""
        todo = list(enders)
        while todo:
            node = todo.pop()
            function = self._forest.of(node).function(node)
            sites = {function, *self._values.callers(function)} - enders
            enders |= sites
            todo += [site for site in sites if isinstance(site, ast.expr)]

    def _is_closed(self, node: ast.expr, place: Place | None, handles: frozenset[Handle], seen: set[ast.AST]) -> bool:
        function = self._forest.of(node).function(node)
        enders = frozenset().union(*(self._enders[handle] for handle in handles))
        at_entry = function not in seen and any(
            isinstance(site, ast.Call) and self._is_closed(site, None, handles, {*seen, function})
            for site in self._values.callers(function)
        )
        graph = self._controls[self._forest.path(function)].graph(function)
        transfer = partial(self._transfer, place, enders)
        return bool(solve(graph, at_entry, transfer, lambda first, second: first or second).before(node))

    def _transfer(self, place: Place | None, enders: frozenset[ast.AST], closed: bool, step: Step) -> bool:
        node = step.node
        if step.action is not Action.DO:
            return closed
        if node in enders:
            return True
        stores = isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store)
        return closed and not (stores and place and place_of(node, self._forest.of(node)) == place)
