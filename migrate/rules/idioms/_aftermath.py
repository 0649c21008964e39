"""What may run once a statement has failed: handlers, finally clauses, what follows these, and the callers'."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator, Mapping
from functools import cached_property

from migrate.facts.program import Facts
from migrate.python.control import Action, Graph, Point
from migrate.python.scopes import FUNCTIONS
from migrate.python.values import Bound, Class, Descriptor, Function, Instance, Value

_ENDS = frozenset({"__exit__", "__aexit__"})
# What the standard library runs when the program has ended.
_LATE = frozenset({"atexit"})


class Aftermath:
    """Answers about one project without threads, handlers of signals and finalizers."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def nodes(
        self, statement: ast.stmt, origins: frozenset[Hashable] = frozenset(), leaving: Iterable[ast.stmt] = ()
    ) -> frozenset[ast.AST] | None:
        """Return what may be evaluated after an exception has left a statement, and from others on.

        Each path ends where the handles of the origins, in which the statement failed, are made anew, as far as nothing
        else holds the old ones. None when it cannot be seen who would catch the exception.
        """
        origin = next(iter(origins), None)
        is_lost = len(origins) == 1 and isinstance(origin, ast.Call) and self._is_lost(origin, statement)
        stops = self._renewals(origin) if is_lost else frozenset[ast.AST]()
        starts = self._starts(statement, leaving)
        return _Walk(self, stops).after(self.function(statement), self.graph(statement), starts)

    def near(self, statement: ast.stmt, leaving: Iterable[ast.stmt], stops: Iterable[ast.AST]) -> frozenset[ast.AST]:
        """Return the same, but only what stands in the function of the statement, up to some nodes on each path."""
        return _Walk(self, frozenset(stops)).near(self.graph(statement), self._starts(statement, leaving))

    def behind(self, statement: ast.stmt, stops: Iterable[ast.AST]) -> frozenset[ast.AST]:
        """Return what may be evaluated behind a statement in its function, up to some nodes on each path."""
        graph = self.graph(statement)
        return _Walk(self, frozenset(stops)).near(graph, graph.endings[statement])

    def _starts(self, statement: ast.stmt, leaving: Iterable[ast.stmt]) -> list[Point]:
        graph = self.graph(statement)
        handlers = [(graph.blocks[block].handler, 0) for block, _ in graph.places(statement)]
        return [*handlers, *(point for other in leaving for point in graph.places(other))]

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

    def sites(self, function: ast.AST) -> Iterable[ast.expr]:
        """Return the calls that run a function; none for a module."""
        return self._sites[function]

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
    def _sites(self) -> Mapping[ast.AST, tuple[ast.expr, ...]]:
        """The functions that are run by calls alone, and nowhere else than where these stand."""
        found = {node: tuple(self._facts.values.callers(node)) for node in self._functions if _is_plain(node)}
        return {
            node: sites
            for node, sites in found.items()
            if not self._facts.values.is_called_from_outside(node)
            and sites
            and all(isinstance(site, ast.Call) and self._is_run(node, site) for site in sites)
        }

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

    @cached_property
    def unseen(self) -> list[ast.AST]:
        """The functions that may run without a written call; those at the end of a with block aside."""
        return [node for node in self._functions if node not in self._sites and getattr(node, "name", "") not in _ENDS]

    def run_by(self, node: ast.AST, action: Action) -> list[ast.AST]:
        """Return the functions that a step may run."""
        if action is Action.EXIT and isinstance(node, ast.withitem):
            values = self._facts.values.of(node.context_expr)
            if values and not any(isinstance(value, Instance) for value in values):
                return []
            return [function for function in self._functions if getattr(function, "name", "") in _ENDS]
        return self._callees.get(node, [])

    # ------------------------------------------------------------------ handles

    def _is_lost(self, origin: ast.Call, statement: ast.stmt) -> bool:
        """Whether the variables of one run of a function are all that holds what was made there, up to a statement."""
        function, names = self.function(origin), self._facts.names[self._facts.values.path(origin)]
        if function is not self.function(statement):
            return False
        steps = [step.node for step in self.graph(origin).between(origin, statement)]
        held = [node for node in steps if isinstance(node, ast.expr) and origin in self._facts.handles(node)]
        stores = [node for node in [*held, *steps] if isinstance(getattr(node, "ctx", None), ast.Store)]
        if not all(isinstance(node, ast.Name | ast.Tuple) for node in stores):
            return False
        uses = [use for store in stores if isinstance(store, ast.Name) for use in names.of[store].loads]
        return all(map(self._is_passed, held)) and all(self.function(use) is function for use in uses)

    def _is_passed(self, node: ast.expr) -> bool:
        """Whether a handle is stored in a variable, or given to an old call, or comes from one."""
        above = self._facts.parent(node)
        is_stored = isinstance(getattr(node, "ctx", None), ast.Store)
        is_method = isinstance(above, ast.Attribute) and self._facts.parent(above) in self._facts.calls
        return is_stored or is_method or above in self._facts.calls or node in self._facts.calls

    def _renewals(self, origin: Hashable) -> frozenset[ast.AST]:
        """Return the call that makes a handle, and those of functions that always come by it before they return."""
        assert isinstance(origin, ast.AST)
        found: frozenset[ast.AST] = frozenset({origin})
        todo: list[ast.AST] = [origin]
        while todo:
            node = todo.pop()
            function, graph = self.function(node), self.graph(node)
            if function in self._sites and graph.RETURN not in _Walk(self, found).walk(graph, [graph.ENTRY]):
                fresh = [site for site in self._sites[function] if self._callees[site] == [function]]
                todo += fresh
                found |= frozenset(fresh)
        return found


class _Walk:
    """One search. Functions that are called are walked from their beginning, for themselves."""

    def __init__(self, aftermath: Aftermath, stops: frozenset[ast.AST]) -> None:
        self._aftermath, self._stops = aftermath, stops
        self._nodes: set[ast.AST] = set()
        self._called: dict[ast.AST, None] = {}
        self._left: set[tuple[ast.AST, Point]] = set()  # the ends of functions that have been followed outwards

    def near(self, graph: Graph, starts: list[Point]) -> frozenset[ast.AST]:
        """Return what may be evaluated in one function."""
        self.walk(graph, starts)
        return frozenset(self._nodes)

    def after(self, function: ast.AST, graph: Graph, starts: list[Point]) -> frozenset[ast.AST] | None:
        """Return what may be evaluated in the project."""
        todo = [(function, graph, starts)]
        while todo:
            function, graph, starts = todo.pop()
            for end in self.walk(graph, starts) & {graph.RETURN, graph.FAILURE}:
                if (function, end) not in self._left:
                    self._left.add((function, end))
                    if isinstance(function, ast.Module):
                        if not self._aftermath.ends_program(function):
                            return None
                    elif self._aftermath.is_seen(function):
                        todo += self._outwards(function, end)
                    else:
                        return None
        self._called |= dict.fromkeys(self._aftermath.unseen)
        self._walk_called()
        return frozenset(self._nodes)

    def _outwards(self, function: ast.AST, end: Point) -> Iterator[tuple[ast.AST, Graph, list[Point]]]:
        """Yield where control goes on behind the calls of a function that has come to an end."""
        for site in self._aftermath.sites(function):
            graph = self._aftermath.graph(site)
            for point in graph.places(site):
                handler = (graph.blocks[point[0]].handler, 0)
                onward = [(point[0], point[1] + 1)] if end == graph.RETURN else [handler]
                yield self._aftermath.function(site), graph, onward

    def walk(self, graph: Graph, starts: list[Point]) -> set[Point]:
        """Collect what may be done from some points on, and return the points."""
        seen, todo = set(starts), list(starts)
        while todo:
            point = todo.pop()
            if point[1] < len(graph.blocks[point[0]].steps):
                step = graph.step(point)
                if step.node in self._stops and step.action is Action.DO:
                    continue
                self._nodes.add(step.node)
                self._called |= dict.fromkeys(self._aftermath.run_by(step.node, step.action))
            fresh = [following for following in graph.following(point) if following not in seen]
            seen.update(fresh)
            todo += fresh
        return seen

    def _walk_called(self) -> None:
        done: set[ast.AST] = set()
        while fresh := [function for function in self._called if function not in done]:
            done.update(fresh)
            for function in fresh:
                graph = self._aftermath.graph_of(function)
                self.walk(graph, [graph.ENTRY])


def _node(value: Value) -> ast.AST | None:
    """Return the function behind a value that can be called."""
    while isinstance(value, Bound | Descriptor):
        value = value.function
    return value.node if isinstance(value, Function) else None


def _is_plain(function: ast.AST) -> bool:
    """Whether a function runs when it is called, and only then, as far as its own text tells."""
    if not isinstance(function, ast.FunctionDef):
        return False
    hidden = function.name.startswith("__") and function.name.endswith("__") and function.name != "__init__"
    kinds = {getattr(node, "id", "") for node in function.decorator_list}
    return not hidden and kinds <= {"staticmethod", "classmethod"} and not _yields(function)


def _yields(function: ast.FunctionDef) -> bool:
    """Whether a function may be a generator; one inside of it counts, too."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(function))
