"""Which functions run which: by written calls, at the end of with blocks, and unseen."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from migrate.facts.program import Facts
from migrate.python.control import Action, Graph, Point
from migrate.python.scopes import FUNCTIONS
from migrate.python.values import Bound, Class, Descriptor, Function, Instance, Value
from migrate.rules.idioms._closure import certain, closure, members, targets
from migrate.rules.idioms._managers import Managers

_ENDS = frozenset({"__exit__", "__aexit__"})
# What the standard library runs when the program has ended.
_LATE = frozenset({"atexit"})


class Calls(NamedTuple):
    """Functions that are called, and all that these call, too; as bits."""

    called: int
    whole: int


class Flow(NamedTuple):
    """What each block of a graph may lead to: blocks, functions called there, and all that these call."""

    blocks: Sequence[int]
    called: Sequence[int]
    whole: Sequence[int]

    def calls(self, block: int) -> Calls:
        """Return the functions that may be called from a block on."""
        return Calls(self.called[block], self.whole[block])


class Runs:
    """Answers about one project without threads, handlers of signals and finalizers."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._flows: dict[Graph, Flow] = {}
        self._certain: dict[Graph, int] = {}  # blocks, as bits

    def graph(self, node: ast.AST) -> Graph:
        """Return the graph that a node is part of."""
        return self._facts.controls[self._facts.values.path(node)].around(node)

    def graph_of(self, function: ast.AST) -> Graph:
        """Return the graph of a function itself."""
        return self._facts.controls[self._facts.values.path(function)].graph(function)

    def function(self, node: ast.AST) -> ast.AST:
        """Return the function or module that a node is part of."""
        return self._facts.names[self._facts.values.path(node)].function(node)

    def is_seen(self, function: ast.AST) -> bool:
        """Whether a function is run by written calls only."""
        return function in self._sites

    def sites(self, function: ast.AST) -> Iterable[ast.AST]:
        """Return the calls, or items of `with`, that run a function; none for a module."""
        return self._sites[function]

    def entries(self, site: ast.AST) -> Iterator[Point]:
        """Yield where a site runs its function from the beginning."""
        graph = self.graph(site)
        return (point for point in graph.places(site) if graph.step(point).action is not Action.EXIT)

    def stays(self, function: ast.AST) -> Sequence[ast.AST]:
        """Return where a function that `with` runs stays while the body is run."""
        return self._managers.yields.get(function, ())

    def ends_program(self, module: ast.AST) -> bool:
        """Whether nothing of the project runs when a module has been left by an exception."""
        names = self._facts.names
        path = next(path for path in names if names[path].tree is module)
        return not self._facts.project.importers[path] and not self._has_late

    @cached_property
    def _has_late(self) -> bool:
        imports = [node for names in self._facts.names.values() for node in names.imports]
        named = {alias.name for node in imports for alias in node.names}
        return not _LATE.isdisjoint(named | {node.module for node in imports if isinstance(node, ast.ImportFrom)})

    @cached_property
    def _functions(self) -> list[ast.AST]:
        nodes = (node for names in self._facts.names.values() for node in names.parents)
        return [node for node in nodes if isinstance(node, (*FUNCTIONS, ast.Lambda))]

    @cached_property
    def _sites(self) -> Mapping[ast.AST, Sequence[ast.AST]]:
        """The functions that are run by calls, or by `with`, and nowhere else than where these stand."""
        found: dict[ast.AST, Sequence[ast.AST]] = {**self._managers.entered}
        for node in filter(_is_plain, self._functions):
            sites = self._facts.values.callers(node)
            calls = tuple(site for site in sites if isinstance(site, ast.Call) and self._is_run(node, site))
            if calls and len(calls) == len(sites) and not self._facts.values.is_called_from_outside(node):
                found[node] = calls
        return found

    def _is_run(self, function: ast.AST, site: ast.Call) -> bool:
        """Whether it is a function itself that a call calls, not one that it is given."""
        values = self._facts.values.of(site.func)
        is_init = getattr(function, "name", "") == "__init__"
        return any(_node(value) is function or (is_init and isinstance(value, Class)) for value in values)

    @cached_property
    def _callees(self) -> Mapping[ast.AST, list[ast.AST]]:
        callees: dict[ast.AST, list[ast.AST]] = {}
        for node in self._functions:
            for site in self._facts.values.callers(node):
                callees.setdefault(site, []).append(node)
        return callees

    # ------------------------------------------------------------------ functions as bits

    @cached_property
    def _numbers(self) -> Mapping[ast.AST, int]:
        return {function: number for number, function in enumerate(self._functions)}

    def among(self, functions: Iterable[ast.AST]) -> int:
        """Return the bits of functions; a module has none."""
        numbers = {self._numbers[function] for function in functions if function in self._numbers}
        return sum(1 << number for number in numbers)

    def functions(self, bits: int) -> Iterator[ast.AST]:
        """Yield the functions whose bits are set."""
        return (self._functions[number] for number in members(bits))

    def run_by(self, node: ast.AST, action: Action) -> int:
        """Return the functions that a step may run."""
        if action is Action.EXIT and isinstance(node, ast.withitem):
            values = self._facts.values.of(node.context_expr)
            is_known = bool(values) and not any(isinstance(value, Instance) for value in values)
            return self._entered.get(node, 0) | (0 if is_known else self._endings)
        return self._entered.get(node, 0) | self._run.get(node, 0)

    @cached_property
    def _managers(self) -> Managers:
        return Managers(self._facts, self._functions)

    @cached_property
    def _entered(self) -> Mapping[ast.AST, int]:
        """The functions that each item of `with` runs when it is entered, or left."""
        entered: dict[ast.AST, int] = {}
        for function, items in self._managers.entered.items():
            for item in items:
                entered[item] = entered.get(item, 0) | self.among([function])
        return entered

    @cached_property
    def _run(self) -> Mapping[ast.AST, int]:
        return {site: self.among(functions) for site, functions in self._callees.items()}

    @cached_property
    def _endings(self) -> int:
        return self.among(node for node in self._functions if getattr(node, "name", "") in _ENDS)

    @cached_property
    def unseen(self) -> Calls:
        """The functions that may run without a written call; those at the end of a with block aside."""
        unseen = (node for node in self._functions if node not in self._sites)
        return self.calls(self.among(unseen) & ~self._endings)

    @cached_property
    def implied(self) -> int:
        """The functions that operators, attributes and the like may run, where no call shows it."""
        unseen = (node for node in self._functions if node not in self._sites and not self._facts.values.callers(node))
        return self.among(node for node in unseen if _is_implied(node)) & ~self._endings

    def calls(self, called: int) -> Calls:
        """Return functions with all that they call, too."""
        whole = 0
        for number in members(called):
            whole |= self._below[number]
        return Calls(called, whole)

    @cached_property
    def _below(self) -> Sequence[int]:
        """Each function with all that it calls."""
        called = [self._called_in(self.graph_of(function)) for function in self._functions]
        return closure([list(members(bits)) for bits in called], [1 << number for number in range(len(called))])

    def _called_in(self, graph: Graph) -> int:
        called = 0
        for step in (graph.step(point) for points in graph.points.values() for point in points):
            called |= self.run_by(step.node, step.action)
        return called

    def is_certain(self, node: ast.AST) -> bool:
        """Whether a function never returns without having done a node of it."""
        graph = self.graph(node)
        if graph not in self._certain:
            self._certain[graph] = certain(graph)
        return any(self._certain[graph] >> block & 1 for block, _ in graph.places(node))

    def flow(self, graph: Graph) -> Flow:
        """Return what each block of a graph may lead to."""
        if graph not in self._flows:
            onward, called = targets(graph), [0] * len(graph.blocks)
            for number, block in enumerate(graph.blocks):
                for step in block.steps:
                    called[number] |= self.run_by(step.node, step.action)
            whole = [self.calls(bits).whole for bits in called]
            blocks = [1 << number for number in range(len(called))]
            self._flows[graph] = Flow(*(closure(onward, own) for own in (blocks, called, whole)))
        return self._flows[graph]


def _node(value: Value) -> ast.AST | None:
    """Return the function behind a value that can be called."""
    while isinstance(value, Bound | Descriptor):
        value = value.function
    return value.node if isinstance(value, Function) else None


def _is_plain(function: ast.AST) -> bool:
    """Whether a function runs when it is called, and only then, as far as its own text shows."""
    return isinstance(function, ast.FunctionDef) and not _is_implied(function) and not _yields(function)


def _is_implied(function: ast.AST) -> bool:
    """Whether Python itself may run a function, for it is a special method or what a decorator makes of it."""
    if not isinstance(function, ast.FunctionDef):
        return False
    hidden = function.name.startswith("__") and function.name.endswith("__") and function.name != "__init__"
    kinds = {getattr(node, "id", "") for node in function.decorator_list}
    return hidden or not kinds <= {"staticmethod", "classmethod"}


def _yields(function: ast.FunctionDef) -> bool:
    """Whether a function may be a generator; one inside of it counts, too."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function))
