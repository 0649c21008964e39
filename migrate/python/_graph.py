"""A control-flow graph and the questions about its paths.

A block is a run of steps that is entered at its top only. Control leaves it at its end along its edges, and along the
way to `handler` wherever a step raises. Copies of a finally block are blocks of their own, so a node may stand at
several points; an answer about a node holds for all of them.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar, NamedTuple, TypeAlias

Point: TypeAlias = tuple[int, int]  # a block and a step in it


class Action(Enum):
    """What happens at a step."""

    START = "start"  # a statement, except clause or case begins
    DO = "do"  # an expression has its value; a name, attribute or item is stored or deleted; an import, def or class
    READ = "read"  # the target of an augmented assignment is read
    NEXT = "next"  # a loop begins a turn; a `for` asks its iterator (ast.For, ast.While, ast.comprehension)
    ENTER = "enter"  # a context manager's __enter__ (ast.withitem)
    EXIT = "exit"  # its __exit__
    UNBIND = "unbind"  # the name of an except clause ends (ast.ExceptHandler)


class Step(NamedTuple):
    """One thing that is done with a node; `raises` when it may end by an exception instead."""

    node: ast.AST
    action: Action
    raises: bool


class Edge(NamedTuple):
    """A way on from the end of a block: taken when the expression of the condition is true, or false."""

    target: int
    condition: tuple[ast.expr, bool] | None = None
    raises: bool = False  # an exception goes on to the next handler


@dataclass(eq=False)
class Block:
    """Steps in a row; `handler` is the block where their exceptions go."""

    handler: int
    steps: list[Step] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)


@dataclass(eq=False)
class Graph:
    """The control flow of one function, lambda or module, with the class bodies and comprehensions in it.

    Blocks 0, 1 and 2 are where it begins, where it returns, and where an exception leaves it.
    """

    node: ast.AST
    parents: Mapping[ast.AST, ast.AST]
    blocks: list[Block] = field(default_factory=list)
    points: dict[ast.AST, list[Point]] = field(default_factory=dict)
    endings: dict[ast.stmt, list[Point]] = field(default_factory=dict)  # where control goes on behind a statement
    _latest: tuple[object, set[Point]] | None = None
    _preceding: dict[Point, list[Point]] | None = None  # where control comes from

    ENTRY: ClassVar = (0, 0)
    RETURN: ClassVar = (1, 0)
    FAILURE: ClassVar = (2, 0)

    def places(self, node: ast.AST) -> list[Point]:
        """Return where a node is done: a statement where it begins, an expression where it has its value.

        A constant is done with the expression around it. Empty for what is never done: dead code, an annotation that
        is not evaluated, code of another function.
        """
        while node not in self.points:
            if node is self.node or node not in self.parents:
                return []
            node = self.parents[node]
        return self.points[node]

    def forget_unreachable(self) -> None:
        """Take the points of blocks that control never comes to out of `points`."""
        todo, reached = [self.ENTRY[0]], {self.ENTRY[0]}
        while todo:
            block = self.blocks[todo.pop()]
            targets = {edge.target for edge in block.edges}
            if any(step.raises for step in block.steps):
                targets.add(block.handler)
            todo += targets - reached
            reached |= targets
        for node, points in self.points.items():
            self.points[node] = [point for point in points if point[0] in reached]

    def step(self, point: Point) -> Step:
        """Return the step at a point."""
        return self.blocks[point[0]].steps[point[1]]

    def reaches(self, first: ast.AST, second: ast.AST) -> bool:
        """Whether `second` may be done after `first`; for one node: again."""
        return not self._after(first).isdisjoint(self.places(second))

    def dominates(self, first: ast.AST, second: ast.AST) -> bool:
        """Whether `second` is done only after `first` has been tried, on every path; true of what is never done."""
        around = self._flood(("around", first), [self.ENTRY], self.places(first))
        return first is second or around.isdisjoint(self.places(second))

    def always_leaves(self, statement: ast.stmt) -> bool:
        """Whether control never goes on behind a statement: it returns, raises, breaks, continues or never ends."""
        endings = self.endings.get(statement, [])
        return self._flood(("from", statement), self.places(statement), endings).isdisjoint(endings)

    def between(self, first: ast.AST, second: ast.AST) -> list[Step]:
        """Return what may be done after `first` and before `second`, on paths that do neither in between."""
        starts, targets = self.places(first), self.places(second)
        ends = {*starts, *targets}
        before = self._flood_back(targets, ends)  # no more than the way from `first`, where that dominates `second`
        seen = {following for point in starts for following in self.following(point) if following in before}
        todo = list(seen)
        while todo:
            fresh = [point for point in self.following(todo.pop()) if point in before and point not in seen]
            seen.update(fresh)
            todo += fresh
        return [self.step(point) for point in sorted(seen) if point[1] < len(self.blocks[point[0]].steps)]

    # ------------------------------------------------------------------ paths

    def following(self, point: Point) -> list[Point]:
        """Return where control goes from a point; the point behind the last step of a block is its end."""
        block = self.blocks[point[0]]
        if point[1] == len(block.steps):
            return [(edge.target, 0) for edge in block.edges]
        onward = (point[0], point[1] + 1)
        return [onward, (block.handler, 0)] if block.steps[point[1]].raises else [onward]

    def _after(self, node: ast.AST) -> set[Point]:
        starts = [following for point in self.places(node) for following in self.following(point)]
        return self._flood(("after", node), starts, ())

    def _flood_back(self, targets: Iterable[Point], stops: set[Point]) -> set[Point]:
        """Return every point that control may come from to some others, but for the stops and what lies before them."""
        if self._preceding is None:
            self._preceding = {}
            for number, block in enumerate(self.blocks):
                for point in ((number, at) for at in range(len(block.steps) + 1)):
                    for following in self.following(point):
                        self._preceding.setdefault(following, []).append(point)
        todo, seen = list(targets), set[Point]()
        while todo:
            fresh = [point for point in self._preceding.get(todo.pop(), ()) if point not in seen and point not in stops]
            seen.update(fresh)
            todo += fresh
        return seen

    def _flood(self, key: object, starts: Iterable[Point], stops: Iterable[Point]) -> set[Point]:
        """Return every point that paths from the starts come to, the stops included but nothing behind them.

        The latest answer with a key is kept: callers ask about one node and many others.
        """
        if self._latest and self._latest[0] == key:
            return self._latest[1]
        ends = set(stops)
        todo = list(starts)
        seen = set(todo)
        while todo:
            point = todo.pop()
            if point not in ends:
                fresh = [following for following in self.following(point) if following not in seen]
                seen.update(fresh)
                todo += fresh
        self._latest = (key, seen)
        return seen


def last_first(roots: Iterable[int], following: Callable[[int], Iterable[int]]) -> Iterator[int]:
    """Yield the nodes that roots lead to, each behind those that follow it, but for the ways back."""
    seen = set[int]()
    for root in roots:
        stack = [] if root in seen else [(root, iter(following(root)))]
        seen.add(root)
        while stack:
            node, onward = stack[-1]
            target = next((target for target in onward if target not in seen), None)
            if target is None:
                yield node
                stack.pop()
            else:
                seen.add(target)
                stack.append((target, iter(following(target))))
