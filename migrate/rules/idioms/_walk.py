"""Control flow from some points on, out of functions and into those that are called on the way."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from migrate.python.control import Action, Graph, Point
from migrate.rules.idioms._runs import Runs


class Region:
    """What may be evaluated: some nodes, and functions from their beginning."""

    def __init__(self, runs: Runs, nodes: frozenset[ast.AST], functions: frozenset[ast.AST]) -> None:
        self._runs, self._nodes, self._functions = runs, nodes, functions

    def __contains__(self, node: ast.AST) -> bool:
        if node in self._nodes:
            return True
        function = self._runs.function(node)
        return function in self._functions and node in body(self._runs, function)[0]


class Walk:
    """One search. Functions that are called are walked from their beginning, for themselves."""

    def __init__(self, runs: Runs, stops: frozenset[ast.AST]) -> None:
        self._runs, self._stops = runs, stops
        self._nodes: set[ast.AST] = set()
        self.called: dict[ast.AST, None] = {}
        self._left: set[tuple[ast.AST, Point]] = set()  # the ends of functions that have been followed outwards

    def near(self, graph: Graph, starts: list[Point]) -> frozenset[ast.AST]:
        """Return what may be evaluated in one function."""
        self.walk(graph, starts)
        return frozenset(self._nodes)

    def after(self, function: ast.AST, graph: Graph, starts: list[Point]) -> Region | None:
        """Return what may be evaluated in the project."""
        todo = [(function, graph, starts)]
        while todo:
            function, graph, starts = todo.pop()
            for end in self.walk(graph, starts) & {graph.RETURN, graph.FAILURE}:
                if (function, end) not in self._left:
                    self._left.add((function, end))
                    if isinstance(function, ast.Module):
                        if not self._runs.ends_program(function):
                            return None
                    elif self._runs.is_seen(function):
                        todo += self._outwards(function, end)
                    else:
                        return None
        self.called |= dict.fromkeys(self._runs.unseen)
        whole = self._walk_called()
        return Region(self._runs, frozenset(self._nodes), whole)

    def _outwards(self, function: ast.AST, end: Point) -> Iterator[tuple[ast.AST, Graph, list[Point]]]:
        """Yield where control goes on behind the calls of a function that has come to an end."""
        for site in self._runs.sites(function):
            graph = self._runs.graph(site)
            for point in graph.places(site):
                handler = (graph.blocks[point[0]].handler, 0)
                onward = [(point[0], point[1] + 1)] if end == graph.RETURN else [handler]
                yield self._runs.function(site), graph, onward

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
                self.called |= dict.fromkeys(self._runs.run_by(step.node, step.action))
            fresh = [following for following in graph.following(point) if following not in seen]
            seen.update(fresh)
            todo += fresh
        return seen

    def _walk_called(self) -> frozenset[ast.AST]:
        """Walk the functions that are called and may stop; return the others."""
        stopping = {self._runs.function(stop) for stop in self._stops}
        whole, done = set[ast.AST](), set[ast.AST]()
        while fresh := [function for function in self.called if function not in done]:
            done.update(fresh)
            for function in fresh:
                if function in stopping:
                    graph = self._runs.graph_of(function)
                    self.walk(graph, [graph.ENTRY])
                else:
                    whole.add(function)
                    self.called |= body(self._runs, function)[1]
        return frozenset(whole)


def body(runs: Runs, function: ast.AST) -> tuple[frozenset[ast.AST], dict[ast.AST, None]]:
    """Return what may be evaluated when a function is called, and what it calls."""
    if function not in runs.bodies:
        walk, graph = Walk(runs, frozenset()), runs.graph_of(function)
        runs.bodies[function] = (walk.near(graph, [graph.ENTRY]), walk.called)
    return runs.bodies[function]
