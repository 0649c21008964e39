"""Where a handle may have been destroyed, closed or freed before: what held one when it was, until it holds another.

A place is a variable, or a field of what it holds. What a function ends is ended for its callers if they can name
it: by a parameter, or by a variable of both. Where two places may hold one handle (Sharing), what ends one of them may
have ended the other, in whatever order. A handle that is in a collection twice is not detected.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path

from migrate.facts.entries import Entries
from migrate.facts.forest import Forest
from migrate.facts.passing import given
from migrate.facts.places import Place, place_of
from migrate.facts.references import Reference
from migrate.facts.sharing import Held, Sharing
from migrate.facts.tokens import Handle, handles_among, symbols
from migrate.facts.uncalled_ends import Reached, UncalledEnd, is_other_function, uncalled_ends
from migrate.old_api.calls import Call
from migrate.python.control import Action, Control, Graph, Solution, Step, solve
from migrate.python.scopes import Variable
from migrate.python.values import Bound, Class, Function, Values

_ENDING = ("_destroy", "_close")  # C refuses a second one
_ENDING_OR_FREE = (*_ENDING, "_free")

Ended = frozenset[Place]
_NOTHING: Ended = frozenset()


class Endings:
    """Follows the calls that end handles, through the functions that hold such calls."""

    def __init__(
        self,
        forest: Forest,
        values: Values,
        controls: Mapping[Path, Control],
        calls: Mapping[ast.Call, Call],
        references: Iterable[Reference],
        reached: Reached,
    ) -> None:
        self._forest, self._values, self._controls, self._calls = forest, values, controls, calls
        enders = {
            node: call.receiver
            for node, call in calls.items()
            if call.function.endswith(_ENDING_OR_FREE) and call.receiver is not None
        }
        uncalled = [*uncalled_ends(forest, values, calls, reached, references)]
        self._uncalled: dict[ast.AST, UncalledEnd] = {each.node: each for each in uncalled}
        self._names = Counter(each.name for each in uncalled if each.receiver is None)
        self._ends = {node: self._handles(node) for each in uncalled for node in each.handles}
        self._unfollowed = frozenset(self._ends)
        # What ends handles -> these.
        self._enders: dict[ast.AST, tuple[ast.expr, ...]] = {node: (receiver,) for node, receiver in enders.items()}
        for ender, ended in (pair for each in uncalled for pair in each.ends()):
            self._enders[ender] = (*self._enders.get(ender, ()), *ended)
        for node, receiver in enders.items():
            if calls[node].function.endswith(_ENDING):
                kind = calls[node].signature.kinds[calls[node].signature.receiver]
                self._ends[receiver] = frozenset(each for each in self._handles(receiver) if each.kind == kind)
        self._entries = Entries(forest, values)
        self._sharing = Sharing(forest, values, controls, calls, frozenset(self._ends))
        self._holders = self._holding()
        self._solutions: dict[tuple[ast.AST, Ended], Solution[Ended]] = {}
        self._summaries: dict[ast.AST, Ended] = {}
        self._entered: dict[ast.expr, tuple[bool, bool]] = {}

    def may_be_closed(self, node: ast.expr) -> bool:
        """Whether what an expression holds may have been destroyed, closed or freed before it is evaluated."""
        is_unordered = node in self._ends and (self._is_ended_elsewhere(node) or self._is_ended_unseen(node))
        return self._is_in_closed_place(node) or self._is_one_of_many(node) or is_unordered

    def may_end_again(self, reference: Reference) -> bool:
        """Whether what a method or function ends that is used as a value may be ended by something else, or again."""
        end = self._uncalled.get(reference.node)
        if end is None:
            return self._names[reference.name] > 1
        is_again = any(map(self.may_be_closed, end.handles)) or any(map(self._is_in_closed_place, end.called()))
        return is_again or (end.receiver is None and self._names[reference.name] > 1)

    def _is_in_closed_place(self, node: ast.expr) -> bool:
        place = self._place(node)
        return place is not None and self._is_closed(node, place, frozenset())

    def _handles(self, node: ast.expr) -> frozenset[Handle]:
        return frozenset(handles_among(self._values.of(node)))

    def _is_ended_elsewhere(self, node: ast.expr) -> bool:
        """Whether there are several ends of what an expression holds, of which no order is known."""
        held = self._sharing.held(node)
        own = self._ends.get(node) or self._handles(node)
        others = self._unfollowed if held is Held.ONE and node not in self._unfollowed else self._ends
        alike = (other for other in others if other is not node and self._ends[other] & own)
        return held is Held.MANY or any(self._is_same(node, held, other) for other in alike)

    def _is_same(self, node: ast.expr, held: Held, other: ast.expr) -> bool:
        """Whether two ends, of which the order is not followed, may be of one handle."""
        if self._sharing.roots(node) & self._sharing.roots(other):
            return not self._unfollowed.isdisjoint((node, other))
        return held is not Held.ONE and self._sharing.held(other) is not Held.ONE

    def _is_ended_unseen(self, node: ast.expr) -> bool:
        """Whether an end and another one, or itself, are of one handle, and code is entered that no call shows."""
        is_unseen, is_repeated = self._entry(node)
        if is_unseen and is_repeated and self._stays_ended(node):
            return True
        roots, function = self._sharing.roots(node), self._forest.of(node).function(node)
        others = (other for other, ended in self._ends.items() if other is not node and ended & self._ends[node])
        return any(
            self._forest.of(other).function(other) is not function
            and (is_unseen or self._entry(other)[0])
            and self._stays_ended(other)
            and not roots.isdisjoint(self._sharing.roots(other))
            for other in others
        )

    def _entry(self, node: ast.expr) -> tuple[bool, bool]:
        """Return whether the code that brings a handle to an end is entered unseen, and whether in several ways."""
        if node not in self._entered:
            unseen, most, seen, place = 0, 0, set[ast.AST](), self._place(node)
            todo: list[tuple[ast.expr, Place]] = [(node, place)] if place else []
            while todo:
                at, place = todo.pop()
                function = self._forest.of(at).function(at)
                if function in seen or not self._is_brought(function, place):
                    continue
                if not self._holds(function, frozenset({place}), at, place):
                    continue
                seen.add(function)
                sites = self._entries.written(function)
                entered = self._entries.unseen(function)
                unseen, most = unseen + entered, max(most, entered + len(sites))
                outer = ((site, self._outside(site, function, place)) for site in sites)
                todo += [(site, there) for site, there in outer if there]
            self._entered[node] = unseen > 0, most > 1
        return self._entered[node]

    def _is_brought(self, function: ast.AST, place: Place) -> bool:
        """Whether what a place holds may be there before a function begins."""
        root = place[0]
        assert isinstance(root, Variable)
        return root.scope.node is not function or _parameter(root) is not None

    def _stays_ended(self, node: ast.expr) -> bool:
        """Whether a place still has what was ended there when its function has returned, or does not return."""
        place = self._place(node)
        ended = self._solution(self._forest.of(node).function(node), _NOTHING).at(Graph.RETURN)
        return place is None or ended is None or node in self._unfollowed or place in ended

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
        hidden = any(self._is_hidden(site, function, place) for site in sites)
        at_entry |= hidden and place in self._summary(function)
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
        parameter = _parameter(root)
        passed = given(self._values, self._forest, site, function, parameter) if parameter else None
        is_other = isinstance(passed, ast.expr) and is_other_function(self._values.of(passed))
        there = self._place(passed) if passed is not None and not is_other else None
        return (*there, *place[1:]) if there else None

    def _is_hidden(self, site: ast.Call, function: ast.AST, place: Place) -> bool:
        """Whether a call does not show what it passes for a parameter, which may be the same each time."""
        parameter = _parameter(place[0])
        if parameter is None or self._forest.parents[self._forest.parents[parameter]] is not function:
            return False
        is_made = any(isinstance(value, Class) for value in self._values.of(site.func))
        return not is_made and given(self._values, self._forest, site, function, parameter) is None

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
        if isinstance(node, ast.Call) or node in self._enders:
            return ended | frozenset(self._ended_by(node))
        if isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            place = self._place(node)
            return frozenset(each for each in ended if place is None or each[: len(place)] != place)
        return ended

    def _ended_by(self, node: ast.AST) -> Iterator[Place]:
        for receiver in self._enders.get(node, ()):
            place = self._place(receiver)
            if place is not None:
                yield place
        if not isinstance(node, ast.Call):
            return
        for value in self._values.of(node.func):
            function = value.function if isinstance(value, Bound) else value
            if isinstance(function, Function) and function.node in self._holders:
                for inner in self._summary(function.node):
                    place = self._outside(node, function.node, inner)
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
        is_ending = call in self._calls and call in self._enders
        return ended - {*map(self._place, self._enders[call])} if is_ending and failed else ended

    def _is_success(self, node: ast.expr) -> bool:
        named = {symbol.name for symbol in symbols(self._values.of(node))}
        return named in ({"DOCA_SUCCESS"}, {"SUCCESS"}) or (isinstance(node, ast.Constant) and node.value == 0)


def _parameter(root: object) -> ast.arg | None:
    bindings = root.bindings if isinstance(root, Variable) else ()
    return next((each for each in bindings if isinstance(each, ast.arg)), None)


def _interrupted(ended: Ended, step: Step) -> Ended:
    """What interrupts a program between two statements is no way to end a handle again."""
    return _NOTHING if step.action is Action.START else ended
