"""Which cells of cffi certainly hold a handle where a program reads them: a call has filled them, and had success.

None takes the place of NULL, so that a program which knows None of its own, too, cannot tell the two any more.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TypeAlias

from migrate.bindings.tokens import CFunction, Data, Shape, keys
from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest, last_name
from migrate.facts.passing import given, has_run
from migrate.facts.places import Place, is_about, place_of
from migrate.facts.stores import stored_value
from migrate.python.control import Action, Control, Graph, Solution, Step, solve
from migrate.python.scopes import FUNCTIONS
from migrate.python.values import Bound, Function, Token, Values

# (_FILLED, cell, None): it holds a handle; (_SUCCESS, code, None): the code is SUCCESS; (_WITH, code, cell): the cell
# holds a handle when the code is SUCCESS
_FILLED, _SUCCESS, _WITH = "filled", "success", "with"
Fact: TypeAlias = "tuple[str, Place, Place | None]"
State: TypeAlias = "frozenset[Fact]"

_NAMES = frozenset({"DOCA_SUCCESS", "SUCCESS"})
_ASKING = (ast.Compare, ast.UnaryOp, ast.If, ast.While, ast.Assert)  # these read a cell, and keep nothing of it


class Filled:
    """Follows the cells through the graph of each function; a function is looked at when it is asked for."""

    def __init__(
        self, forest: Forest, values: Values, controls: Mapping[Path, Control], expressions: Expressions
    ) -> None:
        self._forest, self._values, self._controls, self._expressions = forest, values, controls, expressions
        self._solutions: dict[tuple[ast.AST, frozenset[str]], Solution[State] | None] = {}
        self._answers: dict[Data, bool] = {}

    def may_be_null(self, data: Data) -> bool:
        """Whether the program may read NULL from a cell, and go on with it."""
        if data not in self._answers:
            self._answers[data] = not all(map(self._is_known, self._items(data)))
        return self._answers[data]

    def _items(self, data: Data) -> Iterator[ast.Subscript]:
        for use in self._values.uses(Token(data)):
            above = self._forest.parents[use]
            if isinstance(above, ast.Subscript) and above.value is use:
                yield above

    def _is_known(self, item: ast.Subscript) -> bool:
        """Whether nobody goes on with what is in a cell there, or it is certainly a handle."""
        above = self._forest.parents[item]
        if not isinstance(item.ctx, ast.Load):
            return False
        if isinstance(above, _ASKING) or (isinstance(above, ast.Call) and self._is_of_c(above)):
            return True
        solution = self._solution(self._forest.of(item).function(item))
        state = solution.before(item) if solution else frozenset()
        return state is None or (_FILLED, self._place(item.value), None) in state

    def _is_of_c(self, call: ast.Call) -> bool:
        found = self._values.of(call.func)
        return (
            bool(found) and all(isinstance(key, CFunction) for key in keys(found)) and found <= {*self._values.tokens}
        )

    # ------------------------------------------------------------------ one function

    def _solution(self, function: ast.AST, missing: frozenset[str] = frozenset()) -> Solution[State] | None:
        """Return what holds in a function, where a caller leaves out some parameters; None while that is found out."""
        if (function, missing) not in self._solutions:
            self._solutions[function, missing] = None
            graph = self._controls[self._forest.path(function)].graph(function)
            defaults = {name: value for name, value in _defaults(function) if name in missing}
            narrow = partial(self._narrow, defaults)
            self._solutions[function, missing] = solve(
                graph, frozenset[Fact](), self._transfer, frozenset.intersection, narrow=narrow
            )
        return self._solutions[function, missing]

    def _place(self, node: ast.AST) -> Place | None:
        """Return the place of a variable that one function binds, or of a field that is stored to at one place."""
        place = place_of(node, self._forest.of(node))
        if not isinstance(node, ast.Name | ast.arg) or place is None:
            return place if isinstance(node, ast.Attribute) and self._stores[node.attr] == 1 else None
        names = self._forest.of(node)
        homes = {names.function(binding) for binding in names.of[node].bindings if not isinstance(binding, ast.arg)}
        return place if homes <= {names.function(node)} else None

    @cached_property
    def _stores(self) -> Counter[str]:
        """How often the program stores to an attribute, or deletes it."""
        return Counter(node.attr for _, node in self._forest.nodes(ast.Attribute) if not isinstance(node.ctx, ast.Load))

    def _transfer(self, state: State, step: Step) -> State:
        node = step.node
        if step.action is not Action.DO:
            return state
        if isinstance(node, ast.Call):
            return self._after_call(state, node)
        if isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            return self._after_store(state, node)
        return state

    def _after_store(self, state: State, node: ast.Name | ast.Attribute) -> State:
        place, value = place_of(node, self._forest.of(node)), stored_value(self._forest, node)
        state = frozenset(fact for fact in state if not is_about(fact[1:], place))
        place = self._place(node)
        if place is None or value is None:
            return state
        here = self._place(value)
        alike = {(about, place, other) for about, first, other in state if first == here}
        return state | alike | {(_WITH, place, cell) for cell in self._cells(value)}

    def _after_call(self, state: State, call: ast.Call) -> State:
        """Add what a function of the program has made sure of."""
        called = [value.function if isinstance(value, Bound) else value for value in self._values.of(call.func)]
        own = [value.node for value in called if isinstance(value, Function)]
        found = [frozenset(self._ensured(state, call, function)) for function in own]
        return state | frozenset.intersection(*found) if found and len(own) == len(called) else state

    def _ensured(self, state: State, call: ast.Call, function: ast.AST) -> Iterator[Fact]:
        """Yield what holds after a call when the function has returned."""
        if not isinstance(function, FUNCTIONS) or not has_run(self._forest, call, function):
            return
        spread = any(isinstance(argument, ast.Starred) for argument in call.args)
        spread = spread or any(keyword.arg is None for keyword in call.keywords)
        declared = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        passed = {each: given(self._values, self._forest, call, function, each) for each in declared}
        missing = frozenset(each.arg for each, value in passed.items() if value is None and not spread)
        solution = self._solution(function, missing)
        ensured = solution.at(Graph.RETURN) if solution else None
        names = self._forest.of(function)
        for parameter, value in passed.items():
            place = (names.of[parameter],)
            if (_SUCCESS, place, None) in (ensured or ()) and isinstance(value, ast.expr):
                yield from self._succeeded(state, value) - state
            if (_FILLED, place, None) in (ensured or ()) and (cell := self._place(value) if value else None):
                yield _FILLED, cell, None
        star = function.args.vararg
        if star is not None and (_FILLED, (names.of[star],), None) in (ensured or ()) and not spread:
            for argument in filter(self._is_cell, call.args):
                if argument not in passed.values() and (cell := self._place(argument)):
                    yield _FILLED, cell, None

    # ------------------------------------------------------------------ codes

    def _cells(self, node: ast.expr) -> Iterator[Place]:
        """Yield the places of the cells that a call of C fills when the code which it gives is SUCCESS."""
        if isinstance(node, ast.NamedExpr):
            node = node.value
        if isinstance(node, ast.Call) and self._is_of_c(node):
            for argument in node.args:
                shown = argument.value if isinstance(argument, ast.Starred) else argument
                place = self._place(shown) if shown is not argument or self._is_cell(argument) else None
                if place is not None:
                    yield place

    def _is_cell(self, node: ast.expr) -> bool:
        found = [*keys(self._values.of(node))]
        return bool(found) and all(
            isinstance(key, Data) and key.shape is Shape.CELL and key.holds in ("handle", "list") for key in found
        )

    def _succeeded(self, state: State, code: ast.expr) -> State:
        """Add that what is the code of a call is SUCCESS, with what is filled because of it."""
        filled = {(_FILLED, cell, None) for cell in self._cells(code)}
        place = self._place(code.target if isinstance(code, ast.NamedExpr) else code)
        if place is None:
            return state | filled
        filled |= {(_FILLED, cell, None) for about, first, cell in state if about == _WITH and first == place and cell}
        return state | filled | {(_SUCCESS, place, None)}

    def _narrow(self, defaults: Mapping[str, object], state: State, test: ast.expr, truth: bool) -> State | None:
        while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, truth = test.operand, not truth
        if truth is not _truth(test, defaults, truth):
            return None
        if not isinstance(test, ast.Compare):
            return state if truth else self._succeeded(state, test)
        equal = isinstance(test.ops[0], ast.Is | ast.Eq)
        if (
            len(test.ops) > 1
            or truth is not equal
            or not isinstance(test.ops[0], ast.Is | ast.Eq | ast.IsNot | ast.NotEq)
        ):
            return state
        for code, other in ((test.left, test.comparators[0]), (test.comparators[0], test.left)):
            if self._expressions.constant(other) == 0 or last_name(other) in _NAMES:
                return self._succeeded(state, code)
        return state


def _defaults(function: ast.AST) -> Iterator[tuple[str, object]]:
    """Yield the parameters that are something constant, or empty, where a caller leaves them out."""
    if not isinstance(function, FUNCTIONS):
        return
    places = [*function.args.posonlyargs, *function.args.args]
    pairs = [*zip(places[::-1], function.args.defaults[::-1], strict=False)]
    for parameter, value in [*pairs, *zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)]:
        if isinstance(value, ast.Constant):
            yield parameter.arg, value.value
        elif isinstance(value, ast.Tuple | ast.List) and not value.elts:
            yield parameter.arg, ()


def _truth(test: ast.expr, defaults: Mapping[str, object], otherwise: bool) -> bool:
    """Return whether a test is true by the defaults of parameters: `wanted`, `code in allowed`."""
    if isinstance(test, ast.Name) and test.id in defaults:
        return bool(defaults[test.id])
    other = test.comparators[0] if isinstance(test, ast.Compare) and len(test.ops) == 1 else None
    if isinstance(test, ast.Compare) and isinstance(other, ast.Name) and defaults.get(other.id) == ():
        return isinstance(test.ops[0], ast.NotIn) if isinstance(test.ops[0], ast.In | ast.NotIn) else otherwise
    return otherwise
