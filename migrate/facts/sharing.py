"""Whether a handle has more than one holder: a variable, a field, an item of what these hold.

What a call makes has one. It goes on to another variable, to a field or out of a function, as long as the variable
that it comes from neither ends it nor passes it on again afterwards; else it is shared, as is what comes out of a
collection, a generator or anything else that is not followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

from migrate.facts.forest import Forest
from migrate.facts.passing import given
from migrate.facts.tokens import is_handle
from migrate.old_api.calls import Call
from migrate.python.control import Action, Control, Step, solve
from migrate.python.scopes import Variable
from migrate.python.values import Bound, Class, Collection, External, Function, Instance, Plain, Token, Values

Field = tuple[ast.ClassDef, str]
Source = tuple["ast.AST | None", bool]  # with whether it is held where the traced expression stands, too
Holder = tuple[Variable | Field, object]  # with the index of an item of what it holds, None for all of that

_LOOKING = frozenset({"print", "isinstance", "len", "repr", "str", "bool", "id", "type", "hasattr", "getattr", "int"})
_HARMLESS = frozenset(External(f"builtins.{name}") for name in _LOOKING)
_AROUND = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred, ast.BoolOp, ast.IfExp, ast.Await, ast.keyword)
_STORING = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr, ast.For)
_GIVING = (ast.Return, ast.Yield, ast.YieldFrom, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.comprehension,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
_PASSED, _ENDED = "passed on", "ended"


class Held(Enum):
    """By how many holders."""

    ONE = "one after another"
    SHARED = "maybe several"
    MANY = "several, to which one of them has passed it"


@dataclass
class Trace:
    """Where the handle of an expression comes from.

    roots: what holds it where the expression stands, and in the callers that pass it. passed: the holders before those,
    with the loads that have passed it on. is_lost: whether it comes from something that is not followed, too.
    """

    seen: dict[Holder, None] = field(default_factory=dict)
    roots: set[Holder] = field(default_factory=set)
    passed: dict[Holder, set[ast.AST]] = field(default_factory=dict)
    is_lost: bool = False


class Sharing:
    """Answers about a project. ends: the expressions whose handles are ended."""

    def __init__(
        self,
        forest: Forest,
        values: Values,
        controls: Mapping[Path, Control],
        calls: Mapping[ast.Call, Call],
        ends: frozenset[ast.expr],
    ) -> None:
        self._forest, self._values, self._controls, self._calls, self._ends = forest, values, controls, calls, ends
        self._loads: dict[str, list[ast.AST]] = {}
        self._stores: dict[str, list[ast.AST]] = {}
        for _, node in forest.nodes(ast.Attribute):
            (self._loads if isinstance(node.ctx, ast.Load) else self._stores).setdefault(node.attr, []).append(node)
        self._keeping: dict[Variable, bool] = {}
        self._traces: dict[ast.expr, Trace] = {}
        self._answers: dict[ast.expr, Held] = {}
        self._shared: dict[Holder, bool] = {}

    def roots(self, node: ast.expr) -> frozenset[Holder]:
        """Return what holds the handle of an expression where that stands, and in the callers that pass it."""
        return frozenset(self._trace(node).roots)

    def held(self, node: ast.expr) -> Held:
        """Return how the handle of an expression is held."""
        if node not in self._answers:
            self._answers[node] = self._judge(self._trace(node))
        return self._answers[node]

    def _judge(self, trace: Trace) -> Held:
        if any(self._is_passed_again(holder, loads) for holder, loads in trace.passed.items()):
            return Held.MANY
        return Held.SHARED if trace.is_lost or any(map(self._is_shared, trace.seen)) else Held.ONE

    def _trace(self, node: ast.expr) -> Trace:
        if node not in self._traces:
            trace = self._traces[node] = Trace()
            todo: list[Source] = [(node, True)]
            while todo:
                source, is_root = todo.pop()
                trace.is_lost |= source is None
                todo += self._sources(source, is_root, trace) if source is not None else ()
        return self._traces[node]

    # ------------------------------------------------------------------ where it comes from

    def _sources(self, node: ast.AST, is_root: bool, trace: Trace) -> Iterable[Source]:
        """Return where what an expression holds comes from, None for what is not followed."""
        match node:
            case ast.Constant():
                return ()
            case ast.Call():
                return [(source, False) for source in self._of_call(node)]
            case ast.Await(value=value) | ast.NamedExpr(value=value):
                return [(value, is_root)]
            case ast.IfExp(body=first, orelse=second):
                return [(first, is_root), (second, is_root)]
            case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.BoolOp(values=parts):
                return [(part, is_root) for part in parts if any(map(is_handle, self._values.of(part)))]
        holders = self._holders(node)
        found: list[Source] = [] if holders else [(None, False)]
        for holder in holders:
            found += self._reached(holder, node, is_root, trace)
        return found

    def _holders(self, node: Any) -> list[Holder]:
        item: object = None
        while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            node, item = node.value, node.slice.value
        if isinstance(node, ast.Attribute):
            owners = (value for value in self._values.of(node.value) if isinstance(value, Instance | Class))
            return [((owner.node, node.attr), item) for owner in owners]
        return [(self._forest.of(node).of[node], item)] if isinstance(node, ast.Name | ast.arg) else []

    def _reached(self, holder: Holder, load: ast.AST, is_root: bool, trace: Trace) -> Iterator[Source]:
        """Note that a load of a holder gives the handle; yield what the holder has it from."""
        if is_root:
            trace.roots.add(holder)
        else:
            trace.passed.setdefault(holder, set()).add(load)
        if holder not in trace.seen:
            trace.seen[holder] = None
            base = holder[0]
            for store in base.bindings if isinstance(base, Variable) else self._uses(self._stores, base):
                yield from self._stored(store, is_root)

    def _uses(self, uses: Mapping[str, list[ast.AST]], field: Field) -> list[ast.AST]:
        return [node for node in uses.get(field[1], ()) if (field, None) in self._holders(node)]

    def _stored(self, store: ast.AST, is_root: bool) -> Iterable[Source]:
        """Return what a place is given: a parameter what callers hold on to, any other what they have passed on."""
        parent = self._forest.parents[store]
        match parent:
            case ast.arguments() if store not in (parent.vararg, parent.kwarg):
                return [(passed, is_root) for passed in self._passed(store, parent)]
            case ast.Assign(targets=[_]) | ast.AnnAssign() | ast.NamedExpr():
                return [(parent.value, False)] if parent.value else ()
            case ast.withitem(context_expr=value) if any(map(is_handle, self._values.of(value))):
                return [(value, False)]
            case ast.For(iter=ast.Tuple() | ast.List() as display):
                return [(display, False)]
            case ast.Tuple() | ast.List():
                return [(self._item(store, parent), False)]
        return [(None, False)]

    def _passed(self, parameter: Any, arguments: ast.arguments) -> list[ast.expr | ast.arg | None]:
        """Return what callers pass for a parameter, None for what cannot be seen."""
        function = self._forest.parents[arguments]
        sites = self._values.callers(function)
        return [given(self._values, self._forest, site, function, parameter) for site in sites]

    def _item(self, store: Any, targets: ast.Tuple | ast.List) -> ast.expr | None:
        """Return what an assignment to several targets gives to one of them: a part, or the whole."""
        assignment = self._forest.parents[targets]
        value = assignment.value if isinstance(assignment, ast.Assign) else None
        is_parted = isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(targets.elts)
        return value.elts[targets.elts.index(store)] if is_parted else value  # type: ignore[union-attr]

    def _of_call(self, call: ast.Call) -> list[ast.expr | None]:
        """Return what a call may give: nothing that was there before, or None for what cannot be seen."""
        if call in self._calls:
            return [None] if "_get_" in self._calls[call].function else []
        functions = [value.function if isinstance(value, Bound) else value for value in self._values.of(call.func)]
        nodes = [function.node for function in functions if isinstance(function, Function)]
        is_followed = bool(nodes) and len(nodes) == len(functions)
        if not is_followed or any(getattr(node, "decorator_list", ()) for node in nodes):
            return [None]
        return [value for node in nodes for value in self._returned(node)]

    def _returned(self, function: ast.AST) -> Iterator[ast.expr]:
        if isinstance(function, ast.Lambda):
            yield function.body
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value and self._forest.of(node).function(node) is function:
                yield node.value

    # ------------------------------------------------------------------ what passes it on

    def _is_shared(self, holder: Holder) -> bool:
        """Whether a holder passes its handle on, and also ends it or passes it on once more."""
        if holder not in self._shared:
            self._shared[holder] = self._is_used_again(*holder)
        return self._shared[holder]

    def _is_used_again(self, base: Variable | Field, item: object) -> bool:
        loads = base.loads if isinstance(base, Variable) else self._uses(self._loads, base)
        passing = [load for load in loads if self._passes_on(load, item)]
        if not passing or not isinstance(base, Variable) or not self._is_local(base):
            return bool(passing)
        ended = [load for load in loads if self._is_ended(load)]
        before = self._before(base, passing, ended)
        is_used = any(_PASSED in before[load] for load in passing + ended)
        return is_used or any(_ENDED in before[load] for load in passing)

    def _is_passed_again(self, holder: Holder, passing: set[ast.AST]) -> bool:
        """Whether some loads of a holder pass the same handle on more than once."""
        base, _ = holder
        if not isinstance(base, Variable) or not self._is_local(base):
            return len(passing) > 1
        loads = [name for load in passing for name in ast.walk(load) if name in base.loads]
        before = self._before(base, loads, [])
        return any(_PASSED in before[load] for load in loads)

    def _is_local(self, variable: Variable) -> bool:
        names = self._forest.of(variable.scope.node)
        return len({names.function(node) for node in (*variable.bindings, *variable.loads)}) == 1

    def _before(
        self, variable: Variable, passing: Sequence[ast.AST], ended: Sequence[ast.AST]
    ) -> Mapping[ast.AST, frozenset[str]]:
        """Return what has been done, before each of some loads of a variable, with what that holds then."""
        if len(passing) + len(ended) == 1 and not self._is_in_a_loop(passing[0]):
            return {passing[0]: frozenset()}
        function = self._forest.of(passing[0]).function(passing[0])
        graph = self._controls[self._forest.path(function)].graph(function)
        done = dict.fromkeys(ended, _ENDED) | dict.fromkeys(passing, _PASSED)
        transfer = partial(self._transfer, variable, done)
        solution = solve(graph, frozenset[str](), transfer, frozenset.union)
        return {load: solution.before(load) or frozenset() for load in done}

    def _is_in_a_loop(self, node: ast.AST) -> bool:
        return any(isinstance(above, _LOOPS) for above in self._forest.above(node))

    def _transfer(
        self, variable: Variable, done: Mapping[ast.AST, str], state: frozenset[str], step: Step
    ) -> frozenset[str]:
        node = step.node
        if step.action is not Action.DO or not isinstance(node, ast.Name):
            return state
        if node in done:
            return state | {done[node]}
        return frozenset() if node in variable.bindings or node in variable.deletions else state

    def _subscripts(self, load: ast.AST) -> Iterator[ast.Subscript]:
        """Yield the items that are read of what a place holds, the outermost last."""
        while isinstance(above := self._forest.parents[load], ast.Subscript) and above.value is load:
            yield above
            load = above

    def _is_ended(self, load: ast.AST) -> bool:
        return not self._ends.isdisjoint((load, *self._subscripts(load)))

    def _passes_on(self, load: ast.AST, item: object = None) -> bool:
        """Whether what reads a place, or an item of it, gives the handle to another one."""
        items = [*self._subscripts(load)]
        index = items[0].slice if items else None
        if item is not None and isinstance(index, ast.Constant) and index.value != item:
            return False
        node = items[-1] if items else load
        if not isinstance(getattr(node, "ctx", None), ast.Load) or not self._may_hold(node):
            return False
        handle, above = node, self._forest.parents[node]
        while isinstance(above, _AROUND):
            node, above = above, self._forest.parents[above]
        if isinstance(above, ast.Call):
            return node is not above.func and self._keeps(above, handle)
        is_iterated = isinstance(above, ast.For) and node is handle
        return isinstance(above, _STORING + _GIVING) and not is_iterated and self._may_hold(node)

    def _may_hold(self, node: Any) -> bool:
        """Whether an expression may be a handle, or hold one."""
        values = self._values.of(node)
        return not values or any(is_handle(it) or isinstance(it, Collection) or it is Plain.UNKNOWN for it in values)

    def _keeps(self, call: ast.Call, argument: ast.AST) -> bool:
        """Whether what a call gives a handle to may give it to another place."""
        found = self._values.of(call.func)
        if call in self._calls or (found and all(isinstance(it, Token) or it in _HARMLESS for it in found)):
            return False
        functions = [self._function(value) for value in found]
        return not found or any(function is None or self._is_kept(call, function, argument) for function in functions)

    def _function(self, value: Any) -> Any:
        """Return the function of the program that a call of a value runs."""
        if isinstance(value, Class):
            bodies = (base.node.body for base in self._values.bases(value.node) if isinstance(base, Class))
            return next((part for body in bodies for part in body if getattr(part, "name", "") == "__init__"), None)
        function = value.function if isinstance(value, Bound) else value
        return function.node if isinstance(function, Function) else None

    def _is_kept(self, call: ast.Call, function: Any, argument: ast.AST) -> bool:
        declared = [argument for argument in ast.walk(function.args) if isinstance(argument, ast.arg)]
        taking = [each for each in declared if given(self._values, self._forest, call, function, each) is argument]
        return not taking or any(self._passes_parameter_on(each) for each in taking)

    def _passes_parameter_on(self, parameter: ast.arg) -> bool:
        variable = self._forest.of(parameter).of[parameter]
        if variable not in self._keeping:
            self._keeping[variable] = False  # while that is being found out
            self._keeping[variable] = any(map(self._passes_on, variable.loads))
        return self._keeping[variable]
