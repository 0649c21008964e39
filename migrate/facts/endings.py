"""Where a handle may have been destroyed, closed or freed before: what held one when it was, until it holds another.

A place is a variable, or a field of what it holds. What a function ends is ended for its callers if they can name
it: by a parameter, or by a variable of both. Two places that hold one handle are not detected.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path

from migrate.facts.forest import Forest
from migrate.facts.places import Place, place_of
from migrate.facts.tokens import symbols
from migrate.old_api.calls import Call
from migrate.python.control import Action, Control, Graph, Solution, Step, solve
from migrate.python.scopes import FUNCTIONS, Variable
from migrate.python.values import Bound, Function, Values

_ENDING = ("_destroy", "_close", "_free")

Ended = frozenset[Place]
_NOTHING: Ended = frozenset()


class Endings:
    """Follows the calls that end handles, through the functions that hold such calls."""

    def __init__(
        self, forest: Forest, values: Values, controls: Mapping[Path, Control], calls: Mapping[ast.Call, Call]
    ) -> None:
        self._forest, self._values, self._controls, self._calls = forest, values, controls, calls
        self._enders = {
            node: call.receiver
            for node, call in calls.items()
            if call.function.endswith(_ENDING) and call.receiver is not None
        }
        self._holders = self._holding()
        self._solutions: dict[tuple[ast.AST, Ended], Solution[Ended]] = {}
        self._summaries: dict[ast.AST, Ended] = {}

    def may_be_closed(self, node: ast.expr) -> bool:
        """Whether what an expression holds may have been destroyed, closed or freed before it is evaluated."""
        place = self._place(node)
        return self._is_one_of_many(node) or (place is not None and self._is_closed(node, place, frozenset()))

    def _is_one_of_many(self, node: ast.expr) -> bool:
        """Whether a name goes through several handles, of which two are one: `for end in (server, server)`."""
        while isinstance(node, ast.Attribute | ast.Subscript):
            node = node.value
        bindings = self._forest.of(node).of[node].bindings if isinstance(node, ast.Name) else ()
        above = (place for binding in bindings for place in islice(self._forest.above(binding), 2))
        loops = [place for place in above if isinstance(place, ast.For | ast.comprehension)]
        listed = [ast.unparse(part) for loop in loops for part in getattr(loop.iter, "elts", ())]
        return len(listed) > len({*listed})

    def _place(self, node: ast.AST) -> Place | None:
        """Return the place that an expression reads, or that what it is a view of is in."""
        while isinstance(node, ast.Call) and node in self._calls and self._calls[node].signature.is_view:
            receiver = self._calls[node].receiver
            if receiver is None:
                return None
            node = receiver
        return place_of(node, self._forest.of(node))

    def _holding(self) -> set[ast.AST]:
        """Return the functions that end a handle, or call one that does."""
        holders: set[ast.AST] = set()
        todo = [self._forest.of(node).function(node) for node in self._enders]
        while todo:
            function = todo.pop()
            if function not in holders:
                holders.add(function)
                todo += [self._forest.of(site).function(site) for site in self._values.callers(function)]
        return holders

    def _is_closed(self, node: ast.expr, place: Place, seen: frozenset[ast.AST]) -> bool:
        function = self._forest.of(node).function(node)
        if self._holds(function, _NOTHING, node, place):
            return True
        if function in seen:
            return False
        sites = [site for site in self._values.callers(function) if isinstance(site, ast.Call)]
        outer = ((site, self._outside(site, function, place)) for site in sites)
        at_entry = any(there and self._is_closed(site, there, seen | {function}) for site, there in outer)
        return at_entry and self._holds(function, frozenset({place}), node, place)

    def _holds(self, function: ast.AST, start: Ended, node: ast.expr, place: Place) -> bool:
        if function not in self._holders:
            return place in start
        return place in (self._solution(function, start).before(node) or ())

    def _outside(self, site: ast.Call, function: ast.AST, place: Place) -> Place | None:
        """Return what a caller calls a place of a function, None where it has no name for it."""
        root = place[0]
        assert isinstance(root, Variable)
        if root.scope.node is not function:
            return place  # a variable around both
        given = self._given(site, function, root)
        there = self._place(given) if given is not None else None
        return (*there, *place[1:]) if there else None

    def _given(self, site: ast.Call, function: ast.AST, parameter: Variable) -> ast.expr | None:
        """Return the argument that a call has for a parameter, when that can be seen."""
        if not isinstance(function, FUNCTIONS) or any(isinstance(argument, ast.Starred) for argument in site.args):
            return None
        names, arguments = self._forest.of(function), function.args
        declared = [*arguments.posonlyargs, *arguments.args]
        index = next((i for i, each in enumerate(declared) if names.of[each] is parameter), None)
        if index is None:
            return None
        bound = [value for value in self._values.of(site.func) if isinstance(value, Bound)]
        if index == 0 and bound:
            return site.func.value if isinstance(site.func, ast.Attribute) else None
        named = next((keyword.value for keyword in site.keywords if keyword.arg == declared[index].arg), None)
        index -= bool(bound)
        return named or (site.args[index] if index < len(site.args) else None)

    # ------------------------------------------------------------------ one function

    def _solution(self, function: ast.AST, start: Ended) -> Solution[Ended]:
        if (function, start) not in self._solutions:
            graph = self._controls[self._forest.path(function)].graph(function)
            transfer = partial(self._transfer, function)
            self._solutions[function, start] = solve(
                graph, start, transfer, frozenset.union, narrow=self._narrow, failed=_interrupted
            )
        return self._solutions[function, start]

    def _transfer(self, function: ast.AST, ended: Ended, step: Step) -> Ended:
        node = step.node
        if step.action is not Action.DO:
            return ended
        if isinstance(node, ast.Call):
            return ended | frozenset(self._ended_by(node))
        if isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            place = self._place(node)
            return frozenset(each for each in ended if place is None or each[: len(place)] != place)
        return ended

    def _ended_by(self, call: ast.Call) -> Iterator[Place]:
        if call in self._enders:
            place = self._place(self._enders[call])
            if place is not None:
                yield place
            return
        for value in self._values.of(call.func):
            function = value.function if isinstance(value, Bound) else value
            if isinstance(function, Function) and function.node in self._holders:
                for inner in self._summary(function.node):
                    place = self._outside(call, function.node, inner)
                    if place is not None:
                        yield place

    def _summary(self, function: ast.AST) -> Ended:
        """Return what a function has ended when it returns; nothing while that is being found out."""
        if function not in self._summaries:
            self._summaries[function] = _NOTHING
            self._summaries[function] = self._solution(function, _NOTHING).at(Graph.RETURN) or _NOTHING
        return self._summaries[function]

    def _narrow(self, ended: Ended, condition: ast.expr, truth: bool) -> Ended:
        """A flat call whose code is looked at where it stands, and is that of a failure, has ended nothing."""
        while isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
            condition, truth = condition.operand, not truth
        failed, call = truth, condition
        if isinstance(condition, ast.Compare) and isinstance(condition.ops[0], ast.Eq | ast.NotEq):
            call, is_equal = condition.left, isinstance(condition.ops[0], ast.Eq)
            failed = (truth is is_equal) is not self._is_success(condition.comparators[0])
        call = call.value if isinstance(call, ast.NamedExpr) else call
        receiver = self._enders.get(call) if isinstance(call, ast.Call) else None
        return ended - {self._place(receiver)} if receiver is not None and failed else ended

    def _is_success(self, node: ast.expr) -> bool:
        named = {symbol.name for symbol in symbols(self._values.of(node))}
        return named in ({"DOCA_SUCCESS"}, {"SUCCESS"}) or (isinstance(node, ast.Constant) and node.value == 0)


def _interrupted(ended: Ended, step: Step) -> Ended:
    """What interrupts a program between two statements is no way to end a handle again."""
    return _NOTHING if step.action is Action.START else ended
