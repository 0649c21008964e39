"""Control flow from some points on, out of functions and into those that are called on the way."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from migrate.python.control import Action, Graph, Point
from migrate.rules.idioms._runs import Calls, Runs


class Region:
    """What may be evaluated: some nodes, blocks of graphs, and functions from their beginning; the last two as bits."""

    def __init__(self, runs: Runs, nodes: frozenset[ast.AST], blocks: Mapping[Graph, int], functions: int) -> None:
        self._runs, self._nodes, self._blocks, self._functions = runs, nodes, blocks, functions

    def __contains__(self, node: ast.AST) -> bool:
        if node in self._nodes:
            return True
        function, graph = self._runs.function(node), self._runs.graph(node)
        points, blocks = graph.points.get(node, []), self._blocks.get(graph, 0)
        is_called = bool(points) and bool(self._runs.among([function]) & self._functions)
        return is_called or any(blocks >> block & 1 for block, _ in points)


class Walk:
    """One search, up to some nodes on each path.

    Steps are walked one by one as long as a path leads to such a node; what lies behind is taken as a whole.
    """

    def __init__(self, runs: Runs, stops: frozenset[ast.AST]) -> None:
        self._runs, self._stops = runs, stops
        self._nodes: set[ast.AST] = set()
        self._blocks: dict[Graph, int] = {}
        self._called = self._whole = 0  # functions, as bits: called there, and all that these call, too
        self._left: set[tuple[ast.AST, Point]] = set()  # the ends of functions that have been followed outwards

    def near(self, graph: Graph, starts: list[Point]) -> Region:
        """Return what may be evaluated in one function."""
        self.walk(graph, starts)
        return Region(self._runs, frozenset(self._nodes), self._blocks, 0)

    def after(self, function: ast.AST, graph: Graph, starts: list[Point]) -> Region | None:
        """Return what may be evaluated in the project."""
        todo = [(function, graph, starts)]
        while todo:
            function, graph, starts = todo.pop()
            ends = self.walk(graph, starts)
            if any(self._is_reached(graph, node) for node in self._runs.stays(function)):
                return None  # it goes on in the body of a with statement
            for end in ends:
                if (function, end) not in self._left:
                    self._left.add((function, end))
                    if isinstance(function, ast.Module):
                        if not self._runs.ends_program(function):
                            return None
                    elif self._runs.is_seen(function):
                        todo += self._outwards(function, end)
                    else:
                        return None
        self._note(self._runs.unseen)
        whole = self._walk_called()
        return Region(self._runs, frozenset(self._nodes), self._blocks, whole)

    def _is_reached(self, graph: Graph, node: ast.AST) -> bool:
        blocks = self._blocks.get(graph, 0)
        return node in self._nodes or any(blocks >> block & 1 for block, _ in graph.places(node))

    def _note(self, calls: Calls) -> None:
        self._called, self._whole = self._called | calls.called, self._whole | calls.whole

    def _outwards(self, function: ast.AST, end: Point) -> Iterator[tuple[ast.AST, Graph, list[Point]]]:
        """Yield where control goes on behind the calls of a function that has come to an end."""
        for site in self._runs.sites(function):
            graph = self._runs.graph(site)
            for point in self._runs.entries(site):
                handler = (graph.blocks[point[0]].handler, 0)
                onward = [(point[0], point[1] + 1)] if end == graph.RETURN else [handler]
                yield self._runs.function(site), graph, onward

    def walk(self, graph: Graph, starts: list[Point]) -> set[Point]:
        """Collect what may be done from some points on, and return how the function may end."""
        flow = self._runs.flow(graph)
        stopping = sum({1 << block for stop in self._stops for block, _ in graph.points.get(stop, ())})  # as bits
        seen, todo = set(starts), list(starts)
        while todo:
            point = todo.pop()
            if point[1] == 0 and not flow.blocks[point[0]] & stopping:
                self._blocks[graph] = self._blocks.get(graph, 0) | flow.blocks[point[0]]
                self._note(flow.calls(point[0]))
                continue
            if point[1] < len(graph.blocks[point[0]].steps):
                step = graph.step(point)
                if step.node in self._stops and step.action in (Action.DO, Action.ENTER):
                    continue
                self._nodes.add(step.node)
                self._note(self._runs.calls(self._runs.run_by(step.node, step.action)))
            fresh = [following for following in graph.following(point) if following not in seen]
            seen.update(fresh)
            todo += fresh
        ends = (graph.RETURN, graph.FAILURE)
        return {end for end in ends if end in seen or self._blocks.get(graph, 0) >> end[0] & 1}

    def _walk_called(self) -> int:
        """Walk the functions that are called and may stop; return the others."""
        stopping = self._runs.among(self._runs.function(stop) for stop in self._stops)
        if not self._whole & stopping:
            return self._whole
        done = 0
        while fresh := self._called & ~done:
            done |= fresh
            for function in self._runs.functions(fresh):
                graph = self._runs.graph_of(function)
                if self._runs.among([function]) & stopping:
                    self.walk(graph, [graph.ENTRY])
                else:
                    self._note(self._runs.flow(graph).calls(graph.ENTRY[0]))
        return done & ~stopping
