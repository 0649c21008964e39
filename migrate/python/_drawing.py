"""Draws a control-flow graph: the block that is being filled, where exceptions go, and what a jump leaves behind.

Statements and expressions are drawn by tasks: generators that yield the nodes and tasks to draw next. The driver keeps
them on a stack of its own, so deep syntax needs no recursion.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from migrate.python._graph import Action, Block, Edge, Graph, Step

Task: TypeAlias = Generator[Any, None, None]  # of nodes and tasks
Drawer: TypeAlias = Callable[["Drawing", Any], Task]

_BEGUN = (ast.stmt, ast.withitem, ast.excepthandler)  # they stand where they begin, whatever is done with them later
_BINDING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.excepthandler, ast.pattern, ast.NamedExpr)
_EVALUATED = (ast.expr, ast.keyword)
_SILENT = (*_BINDING, ast.Lambda, ast.BoolOp, ast.IfExp)  # done without an exception


@dataclass(frozen=True)
class Questions:
    """What only others know: calls that never come back, context managers that swallow exceptions."""

    leaves: Callable[[ast.Call], bool]
    swallows: Callable[[ast.expr], bool]
    annotations: bool  # whether annotations are evaluated


@dataclass(eq=False)
class Cleanup:
    """What is done whichever way a body is left: a finally block, the exit of a context manager.

    copies: where the copy begins for those that go on to a block.
    """

    task: Callable[[], Task]
    handler: int
    copies: dict[int, int] = field(default_factory=dict)


@dataclass(eq=False)
class Loop:
    """Where `break` and `continue` go."""

    after: int
    again: int


class Drawing:
    """A graph while it is drawn."""

    def __init__(self, graph: Graph, drawers: Mapping[str, Drawer], questions: Questions) -> None:
        self.graph = graph
        self.questions = questions
        self.handler = graph.FAILURE[0]
        self.frames: list[Cleanup | Loop] = []
        self._drawers = drawers
        for _ in (graph.ENTRY, graph.RETURN, graph.FAILURE):
            self.new()
        self.block = graph.ENTRY[0]

    def run(self, task: Task) -> None:
        """Draw a task and all that it yields."""
        stack = [task]
        while stack:
            for item in stack[-1]:
                drawn = self._task(item) if isinstance(item, ast.AST) else item
                if drawn is not None:
                    stack.append(drawn)
                break
            else:
                stack.pop()

    def _task(self, node: ast.AST) -> Task | None:
        if isinstance(node, ast.Name | ast.Constant):
            if isinstance(node, ast.Name):
                self.step(node)
            return None
        if isinstance(node, ast.stmt):
            return self._statement(node)
        drawer = self._drawers.get(type(node).__name__)
        return drawer(self, node) if drawer else self._parts(node)

    def _statement(self, node: ast.stmt) -> Task:
        self.step(node, Action.START)
        yield self._drawers[type(node).__name__](self, node)
        ending = (self.block, len(self.graph.blocks[self.block].steps))
        self.graph.endings.setdefault(node, []).append(ending)

    def _parts(self, node: ast.AST) -> Task:
        """Draw an expression that evaluates its parts in order, then itself."""
        for name in node._fields:
            part = getattr(node, name)
            if isinstance(part, list):
                yield from part
            elif isinstance(part, _EVALUATED):
                yield part
        if isinstance(node, ast.expr):
            self.step(node)

    # ------------------------------------------------------------------ blocks

    def new(self) -> int:
        """Make a block with the present handler."""
        self.graph.blocks.append(Block(self.handler))
        return len(self.graph.blocks) - 1

    def step(self, node: ast.AST, action: Action = Action.DO) -> None:
        """Add a step to the block."""
        block = self.graph.blocks[self.block]
        if isinstance(node, ast.Name):
            silent = action is Action.DO and isinstance(node.ctx, ast.Store)
        else:
            silent = action is Action.UNBIND or (action is Action.DO and isinstance(node, _SILENT))
        if action in (Action.START, Action.ENTER) or (action is not Action.READ and not isinstance(node, _BEGUN)):
            self.graph.points.setdefault(node, []).append((self.block, len(block.steps)))
        block.steps.append(Step(node, action, not silent))

    def connect(self, target: int, condition: tuple[ast.expr, bool] | None = None) -> None:
        """Add an edge from the end of the block."""
        self.graph.blocks[self.block].edges.append(Edge(target, condition))

    def begin(self, block: int | None = None, condition: tuple[ast.expr, bool] | None = None) -> None:
        """Go on in a block (a new one, if none is given), to which the present one leads."""
        block = self.new() if block is None else block
        self.connect(block, condition)
        self.block = block

    def fail(self) -> None:
        """Let an exception go on to the handler; nothing follows."""
        self.graph.blocks[self.block].edges.append(Edge(self.handler, None, True))
        self.block = self.new()

    # ------------------------------------------------------------------ ways out

    def leave(self, target: int, depth: int) -> Task:
        """Go to a block outside of all frames from `depth` on, by way of their cleanups; nothing follows."""
        frames, handler = self.frames, self.handler
        for level in reversed(range(depth, len(frames))):
            frame = frames[level]
            if not isinstance(frame, Cleanup):
                continue
            if target in frame.copies:
                self.connect(frame.copies[target])
                break
            self.frames, self.handler = frames[:level], frame.handler
            self.begin()
            frame.copies[target] = self.block
            yield frame.task()
        else:
            self.connect(target)
        self.frames, self.handler = frames, handler
        self.block = self.new()

    def loop(self) -> tuple[Loop, int]:
        """Return the innermost loop and the number of frames up to it."""
        for level in reversed(range(len(self.frames))):
            frame = self.frames[level]
            if isinstance(frame, Loop):
                return frame, level
        raise AssertionError("a loop statement outside of a loop")

    def protected(self, body: Task, cleanup: Callable[[], Task], swallows: bool = False) -> Task:
        """Draw a body and its cleanup: one copy for the normal end, one for exceptions, one for each jump."""
        outer = self.handler
        failed = self.new()
        self.frames.append(Cleanup(cleanup, outer))
        self.handler = failed
        self.begin()
        yield body
        self.frames.pop()
        self.handler = outer
        self.begin()
        yield cleanup()
        after = self.new()
        self.begin(after)
        self.block = failed
        yield cleanup()
        if swallows:
            self.connect(after)
        self.fail()
        self.block = after

    def condition(self, test: ast.expr, yes: int, no: int) -> Task:
        """Draw a test that leads to one of two blocks."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            yield self.condition(test.operand, no, yes)
        elif isinstance(test, ast.BoolOp):
            for value in test.values[:-1]:
                following = self.new()
                ways = (following, no) if isinstance(test.op, ast.And) else (yes, following)
                yield self.condition(value, *ways)
                self.block = following
            yield self.condition(test.values[-1], yes, no)
        elif isinstance(test, ast.Constant):
            self.connect(yes if test.value else no)
        else:
            yield test
            self.connect(yes, (test, True))
            self.connect(no, (test, False))
