"""A forward data-flow solver over a control-flow graph."""

from __future__ import annotations

import ast
import heapq
from collections.abc import Callable
from typing import Generic, TypeVar

from migrate.python._graph import Graph, Point, Step, last_first

State = TypeVar("State")


class Solution(Generic[State]):
    """What holds at each point; None where control never comes."""

    def __init__(
        self,
        graph: Graph,
        start: State,
        transfer: Callable[[State, Step], State],
        join: Callable[[State, State], State],
        narrow: Callable[[State, ast.expr, bool], State | None],
        failed: Callable[[State, Step], State] | None,
    ) -> None:
        self.graph = graph
        self._transfer, self._join, self._narrow, self._failed = transfer, join, narrow, failed
        self._entries: dict[int, State] = {0: start}
        self._states: dict[int, list[State]] = {}
        self._solve()

    def at(self, point: Point) -> State | None:
        """Return the state before the step at a point, or at the end of a block."""
        block, index = point
        if block not in self._entries:
            return None
        if block not in self._states:
            states = self._states[block] = [self._entries[block]]
            for step in self.graph.blocks[block].steps:
                states.append(self._transfer(states[-1], step))
        return self._states[block][index]

    def before(self, node: ast.AST) -> State | None:
        """Return the state before a node is done (Graph.places): for a call, when its arguments have their values."""
        return self._joined([self.at(point) for point in self.graph.places(node)])

    def after(self, node: ast.AST) -> State | None:
        """Return the state after a node is done, without an exception."""
        return self._joined([self.at((block, index + 1)) for block, index in self.graph.places(node)])

    def _joined(self, states: list[State | None]) -> State | None:
        reached = [state for state in states if state is not None]
        if not reached:
            return None
        state = reached[0]
        for other in reached[1:]:
            state = self._join(state, other)
        return state

    def _solve(self) -> None:
        order = list(last_first([0], self._targets))
        ranks = {block: rank for rank, block in enumerate(reversed(order))}
        waiting = [(0, 0)]
        queued = {0}
        while waiting:
            _, number = heapq.heappop(waiting)
            queued.discard(number)
            for target in self._flow(number):
                if target not in queued:
                    queued.add(target)
                    heapq.heappush(waiting, (ranks[target], target))

    def _flow(self, number: int) -> list[int]:
        """Carry the state through a block; return the blocks whose entry changed."""
        block, state = self.graph.blocks[number], self._entries[number]
        changed = []
        thrown = None  # the latest state that an exception took along: most steps leave it as it is
        for step in block.steps:
            if step.raises:
                taken = self._failed(state, step) if self._failed else state
                if taken is not thrown and self._enter(block.handler, taken):
                    changed.append(block.handler)
                thrown = taken
            state = self._transfer(state, step)
        for edge in block.edges:
            narrowed = self._narrow(state, *edge.condition) if edge.condition else state
            if narrowed is not None and self._enter(edge.target, narrowed):
                changed.append(edge.target)
        return changed

    def _enter(self, block: int, state: State) -> bool:
        if block not in self._entries:
            self._entries[block] = state
            return True
        old = self._entries[block]
        new = old if state is old else self._join(old, state)
        self._entries[block] = new
        return new is not old and new != old

    def _targets(self, number: int) -> list[int]:
        block = self.graph.blocks[number]
        return [*(edge.target for edge in block.edges), block.handler]


def solve(
    graph: Graph,
    start: State,
    transfer: Callable[[State, Step], State],
    join: Callable[[State, State], State],
    *,
    narrow: Callable[[State, ast.expr, bool], State | None] = lambda state, condition, truth: state,
    failed: Callable[[State, Step], State] | None = None,
) -> Solution[State]:
    """Solve a forward problem: what holds before each step, joined over all paths.

    transfer: the state after a step that ended well. failed: the state that an exception of the step takes along; as
    before the step, when not given. narrow: the state where an expression was true, or false; None when it cannot be.
    States are immutable and comparable; a join of growing states comes to an end.
    """
    return Solution(graph, start, transfer, join, narrow, failed)
