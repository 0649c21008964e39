"""Where a handle may be None, or destroyed: what holds on every path to a place."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TypeAlias

from migrate.facts.forest import Forest
from migrate.facts.meanwhile import CALLING_BACK, WAITING, is_at_once
from migrate.facts.passing import given, has_run
from migrate.facts.places import Place, is_about, part_of, place_of
from migrate.facts.stores import stored_value, written_dictionaries
from migrate.facts.tokens import Code, Symbol
from migrate.old_api.calls import Call
from migrate.old_api.generation_2 import NULLABLE
from migrate.python.control import Action, Control, Graph, Solution, Step, solve
from migrate.python.scopes import FUNCTIONS, Variable
from migrate.python.values import Class, Collection, Function, Instance, Plain, Token, Value, Values

# (_THERE, place, None): it is not None; (_SUCCESS, code, None): the code is SUCCESS; (_WITH, code, place): the place is
# not None when the code is SUCCESS
_THERE, _SUCCESS, _WITH = "there", "success", "with"
Fact: TypeAlias = "tuple[str, Place, Place | None]"
State: TypeAlias = "frozenset[Fact]"

_CHANGING = frozenset({"appendleft", "clear", "insert", "pop", "popleft", "remove", "reverse", "rotate", "sort"})


class Presence:
    """Follows None through the graph of each function; summaries of functions are made when they are asked for."""

    def __init__(
        self, forest: Forest, values: Values, controls: Mapping[Path, Control], calls: Mapping[ast.Call, Call]
    ) -> None:
        self._forest, self._values, self._controls, self._calls = forest, values, controls, calls
        self._solutions: dict[ast.AST, Solution[State] | None] = {}
        self._stores: dict[str, list[ast.Attribute]] = {}
        for _, node in forest.nodes(ast.Attribute):
            if isinstance(node.ctx, ast.Store):
                self._stores.setdefault(node.attr, []).append(node)
        self._asked: set[ast.AST] = set()
        # Objects whose fields are also written by way of their dictionary.
        written = (value for owner in written_dictionaries(forest) for value in values.of(owner))
        self._written = frozenset(value for value in written if isinstance(value, Instance | Collection))

    def may_be_none(self, node: ast.expr) -> bool:
        """Whether an expression may be None, or anything else but a handle, where it stands."""
        if self._is_strange(node):
            return True
        if not self._has_none(node):
            return False
        solution = self._solution(self._forest.of(node).function(node))
        state = solution.before(node) if solution else None
        return solution is None or (state is not None and not self._is_there(node, state))

    def _is_strange(self, node: ast.expr) -> bool:
        """Whether an expression may be what is neither a handle nor None."""
        return any(not isinstance(value, Token) for value in self._values.of(node) - {Plain.UNKNOWN, Plain.NONE})

    def _has_none(self, node: ast.expr) -> bool:
        """Whether an expression may be None somewhere; a field is filled or made up, where that cannot be followed."""
        owners = self._values.of(node.value) if isinstance(node, ast.Attribute) else frozenset()
        return Plain.NONE in self._values.of(node) or any(map(self._is_open, owners))

    def _is_open(self, owner: Value) -> bool:
        """Whether None may be read from any field of an object: one that is not set, or that is set by its name."""
        if isinstance(owner, Instance) and self._values.has_own(owner, "__getattr__"):
            return owner in self._written or self._makes_up_none(owner.node)
        return owner in self._written

    def _makes_up_none(self, node: ast.ClassDef) -> bool:
        """Whether the `__getattr__` of a class may return None."""
        bodies = [base.node.body for base in self._values.bases(node) if isinstance(base, Class)]
        found = [part for body in bodies for part in body if getattr(part, "name", "") == "__getattr__"]
        return any(not self._gives(function) for function in found[:1])

    # ------------------------------------------------------------------ one function

    def _solution(self, function: ast.AST) -> Solution[State] | None:
        """Return what holds in a function; None while that is being found out."""
        if function not in self._solutions:
            self._solutions[function] = None
            graph = self._controls[self._forest.path(function)].graph(function)
            start = frozenset(self._at_entry(function))
            self._solutions[function] = solve(
                graph,
                start,
                partial(self._transfer, function),
                frozenset.intersection,
                narrow=self._narrow,
            )
        return self._solutions[function]

    def _place(self, node: ast.AST) -> Place | None:
        return place_of(node, self._forest.of(node))

    def _transfer(self, function: ast.AST, state: State, step: Step) -> State:
        node = step.node
        if step.action in (Action.UNBIND, Action.READ, Action.START):
            return state
        if isinstance(node, ast.Call):
            return self._after_call(function, state, node)
        if isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load):
            return self._after_store(state, node)
        if isinstance(node, WAITING):
            return self._meanwhile(state, function)
        filled = self._filled(node)
        return _without(state, filled) if filled else state

    def _filled(self, node: ast.AST) -> Place | None:
        """Return the place that a step fills with anything: an item, what a pattern, a clause or a definition binds."""
        if isinstance(node, ast.Subscript):
            item = self._place(node) if isinstance(node.ctx, ast.Store) else None  # `del` moves the others
            return None if isinstance(node.ctx, ast.Load) else item or self._place(node.value)
        variable = None if isinstance(node, ast.expr) else self._forest.of(node).of.get(node)
        return (variable,) if variable is not None else None

    def _after_store(self, state: State, node: ast.Name | ast.Attribute) -> State:
        place = self._place(node)
        kept = _without(state, place)
        if place is None or isinstance(node.ctx, ast.Del):
            return kept
        value, code = self._stored(node)
        if value is not None:
            here = self._place(value)
            copied = {(about, first, place) for about, first, second in state if here and second == here}
            copied |= {(_WITH, part_of(place, 0), part_of(place, index)) for index in self._outputs(value)}
            there = {(_THERE, place, None)} if self._is_there(value, state) else set()
            return kept | copied | there
        return kept | {(_WITH, code, place)} if code and (_SUCCESS, code, None) not in kept else kept

    def _stored(self, node: ast.expr) -> tuple[ast.expr | None, Place | None]:
        """Return the value that is stored, or the place of the code that says whether there is one."""
        parent = self._forest.parents[node]
        if isinstance(parent, ast.withitem):
            return parent.context_expr, None
        above = self._forest.parents.get(parent)
        targets = parent.elts if isinstance(parent, ast.Tuple | ast.List) else [node]
        if targets[0] is not node and isinstance(above, ast.Assign) and self._outputs(above.value):
            return None, self._place(targets[0])
        value = stored_value(self._forest, node)
        is_swapped = value is not None and len(targets) > 1 and self._is_among(value, targets)
        return None if is_swapped else value, None

    def _is_among(self, node: ast.expr, others: Iterable[ast.expr]) -> bool:
        """Whether an expression reads a variable that one of some others does, or is it."""
        place = self._place(node)
        return place is not None and any(other[0] is place[0] for other in filter(None, map(self._place, others)))

    def _outputs(self, value: ast.expr) -> range:
        """Return the indexes of the outputs, when a value can only be what flat calls give: a code and outputs."""
        found = self._values.of(value)
        counts = set()
        for item in found:
            first = self._values.item(item, 0) if isinstance(item, Collection) else frozenset()
            is_code = bool(first) and all(isinstance(part, Token) and isinstance(part.key, Code) for part in first)
            counts.add((self._values.length(item) or 0) if is_code and isinstance(item, Collection) else 0)
        return range(1, max(counts)) if counts and 0 not in counts else range(0)

    def _after_call(self, function: ast.AST, state: State, call: ast.Call) -> State:
        """Forget what the called function may have changed; take what it has made sure of."""
        functions = self._values.of(call.func)
        own = [each.node for each in functions if isinstance(each, Function)]
        old = self._calls.get(call)
        calls_back = old is not None and old.function in CALLING_BACK
        is_quiet = functions and all(map(is_at_once, functions)) and not calls_back
        kept = state if is_quiet else self._meanwhile(state, function)
        checked = [frozenset(self._checked(call, each)) for each in own]
        for about, place, _ in frozenset.intersection(*checked) if checked and len(checked) == len(functions) else ():
            kept = _succeeded(kept, place) if about == _SUCCESS else _with_there(kept, place)
        return kept

    def _meanwhile(self, state: State, function: ast.AST) -> State:
        """Forget what other functions may have changed."""
        return frozenset(fact for fact in state if not self._changes(fact, function))

    def _changes(self, fact: Fact, function: ast.AST) -> bool:
        """Whether another function may store to a place of a fact."""
        return any(self._is_shared(place, function) for place in (fact[1], fact[2]) if place is not None)

    def _is_shared(self, place: Place, function: ast.AST) -> bool:
        variable, *parts = place
        assert isinstance(variable, Variable)
        names = self._forest.of(variable.scope.node)
        bindings = (binding for binding in variable.bindings if not isinstance(binding, ast.arg))
        if any(names.function(binding) is not function for binding in bindings):
            return True
        stores = [store for part in parts for store in self._stores.get(str(part), ())]
        homes = {self._forest.of(store).function(store) for store in stores}
        if any(isinstance(part, int) for part in parts):
            owners: Iterable[Value] = self._changed  # whatever has items
            if len(parts) == 1:
                owners = {value for binding in variable.bindings for value in self._values.of_target(binding)}
            homes.update(home for owner in owners for home in self._changed.get(owner, ()))
        return any(getattr(home, "name", "") != "__init__" for home in homes - {function})

    @cached_property
    def _changed(self) -> Mapping[Value, set[ast.AST]]:
        """Whose items are changed: by functions that store to them, or by calls of their own methods."""
        found: dict[Value, set[ast.AST]] = {}
        stores = (node for _, node in self._forest.nodes(ast.Subscript) if not isinstance(node.ctx, ast.Load))
        by = [(node.value, self._forest.of(node).function(node)) for node in stores]
        methods = ((call, call.func) for _, call in self._forest.calls(_CHANGING))
        by += [(method.value, call) for call, method in methods if isinstance(method, ast.Attribute)]
        for owner, home in by:
            for value in self._values.of(owner):
                found.setdefault(value, set()).add(home)
        return found

    # ------------------------------------------------------------------ conditions

    def _narrow(self, state: State, condition: ast.expr, truth: bool) -> State | None:
        while isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not):
            condition, truth = condition.operand, not truth
        if isinstance(condition, ast.Call) and len(condition.args) == 1 and self._is_error_test(condition.func):
            place = self._place(condition.args[0])
            return state if truth or place is None else _succeeded(state, place)
        if isinstance(condition, ast.Compare) and len(condition.ops) == 1:
            return self._compared(state, condition, truth)
        place = self._place(condition.target if isinstance(condition, ast.NamedExpr) else condition)
        if place is None:
            return state
        return _with_there(state, place) if truth else _succeeded(state, place)

    def _compared(self, state: State, test: ast.Compare, truth: bool) -> State:
        sides = [test.left, test.comparators[0]]
        equal = isinstance(test.ops[0], ast.Is | ast.Eq)
        if not equal and not isinstance(test.ops[0], ast.IsNot | ast.NotEq):
            return state
        for side, other in (sides, sides[::-1]):
            place = self._place(side.target if isinstance(side, ast.NamedExpr) else side)
            if place is not None and isinstance(other, ast.Constant) and other.value is None:
                return _with_there(state, place) if truth is not equal else state
            if place is not None and self._is_success(other):
                return _succeeded(state, place) if truth is equal else state
        return state

    def _is_success(self, node: ast.expr) -> bool:
        named = self._values.of(node) <= {Token(Symbol("DOCA_SUCCESS")), Token(Symbol("SUCCESS"))}
        return (named and bool(self._values.of(node))) or (isinstance(node, ast.Constant) and node.value == 0)

    def _is_error_test(self, node: ast.expr) -> bool:
        return self._values.of(node) == {Token(Symbol("DOCA_IS_ERROR"))}

    # ------------------------------------------------------------------ over functions

    def _is_there(self, node: ast.expr, state: State) -> bool:
        """Whether an expression is certainly not None, where a state holds."""
        if not self._has_none(node):
            return True
        place = self._place(node)
        if place is not None and (_THERE, place, None) in state:
            return True
        if isinstance(node, ast.Attribute):
            return self._is_field_there(node)
        call = node.value if isinstance(node, ast.Await) else node
        old = self._calls.get(call) if isinstance(call, ast.Call) else None
        if old is not None and old.receiver is not None and old.function not in NULLABLE:
            given = not self._is_strange(old.receiver) and self._is_there(old.receiver, state)
            return given and not old.returns_code  # else None
        functions = self._values.of(call.func) if isinstance(call, ast.Call) else frozenset()
        own = [each.node for each in functions if isinstance(each, Function)]
        return bool(own) and len(own) == len(functions) and all(self._gives(each) for each in own)

    def _at_entry(self, function: ast.AST) -> Iterator[Fact]:
        """Yield the parameters that no caller passes None for."""
        arguments = getattr(function, "args", None)
        if not isinstance(arguments, ast.arguments) or not isinstance(function, FUNCTIONS):
            return
        sites = self._values.callers(function)
        for argument in (*arguments.posonlyargs, *arguments.args):
            if Plain.NONE not in self._values.of_target(argument):
                continue
            passed = [given(self._values, self._forest, site, function, argument) for site in sites]
            if passed and all(isinstance(value, ast.expr) and not self.may_be_none(value) for value in passed):
                yield _THERE, (self._forest.of(argument).of[argument],), None

    def _gives(self, function: ast.AST) -> bool:
        """Whether a function that returns never returns None."""
        solution = self._solution(function)
        if solution is None or not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            return False
        names = self._forest.of(function)
        if not solution.graph.always_leaves(function.body[-1]):
            return False
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and names.function(node) is function:
                state = solution.before(node)
                if state is not None and (node.value is None or not self._is_there(node.value, state)):
                    return False
        return True

    def _checked(self, call: ast.Call, function: ast.AST) -> Iterator[Fact]:
        """Yield what holds of the arguments of a call whenever the function that it runs returns."""
        solution = self._solution(function)
        state = solution.at(Graph.RETURN) if solution else None
        if not state or not isinstance(function, FUNCTIONS) or not has_run(self._forest, call, function):
            return
        names = self._forest.of(function)
        for argument in (*function.args.posonlyargs, *function.args.args):
            variable = names.of[argument]
            passed = given(self._values, self._forest, call, function, argument)
            place = self._place(passed) if passed is not None else None
            if place is not None and variable.bindings == [argument]:  # nothing else that it was bound to was checked
                yield from ((about, place, None) for about in (_THERE, _SUCCESS) if (about, (variable,), None) in state)

    def _is_field_there(self, node: ast.Attribute) -> bool:
        """Whether a field is set, to what is there, by every function that stores to it and has not failed since.

        Nothing else may have put None there: no default of the class, nothing that fills fields by their names.
        """
        owners = self._values.of(node.value) - {Plain.NONE}
        stores = [store for store in self._stores.get(node.attr, ()) if self._values.of(store.value) & owners]
        filled = any(not isinstance(owner, Instance) or self._is_filled(owner, node.attr, stores) for owner in owners)
        return bool(stores) and not filled and all(self._leaves_there(store) for store in stores)

    def _is_filled(self, owner: Instance, name: str, stores: Iterable[ast.Attribute]) -> bool:
        """Whether a field of an object may have None from elsewhere than the places that store to it."""
        if self._is_open(owner) or Plain.NONE in self._values.default(owner.node, name):
            return True
        found = self._values.fields.get((owner.node, name), frozenset())
        return Plain.NONE in found and not any(self._may_store_none(store) for store in stores)

    def _may_store_none(self, store: ast.Attribute) -> bool:
        value, _ = self._stored(store)
        return value is None or Plain.NONE in self._values.of(value)

    def _leaves_there(self, store: ast.Attribute) -> bool:
        function = self._forest.of(store).function(store)
        solution, place = self._solution(function), self._place(store)
        if solution is None or place is None:
            return False
        made = getattr(function, "name", "") == "__init__"  # what fails there leaves no object
        ends = [solution.at(Graph.RETURN), None if made else solution.after(store)]
        return all(state is None or (_THERE, place, None) in state for state in ends)


def _without(state: State, place: Place | None) -> State:
    """Leave out what is about a place, or a part of it."""
    return frozenset(fact for fact in state if not is_about(fact[1:], place))


def _with_there(state: State, place: Place) -> State:
    """Add that a place is not None."""
    return state | {(_THERE, place, None)}


def _succeeded(state: State, code: Place) -> State:
    """Add that a code is SUCCESS, with what is there because of it."""
    outputs = {(_THERE, place, None) for about, first, place in state if about == _WITH and first == code and place}
    return state | {(_SUCCESS, code, None)} | outputs
