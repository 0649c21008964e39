"""Control flow against what programs do: every observed step is an edge, every observed binding is possible."""

from __future__ import annotations

import ast
import random
import time
import warnings
from types import CodeType

import pytest

from migrate.python.control import Action, Bound, Control, Graph, Point
from migrate.python.scopes import Names
from tests.budget import SECONDS, SEED
from tests.migrate.flow_programs import NAMES, Run, Writer

PROGRAMS = 250
RUNS = 12
ACTIONS = {"do": Action.DO, "next": Action.NEXT, "enter": Action.ENTER, "exit": Action.EXIT}


def program(seed: int) -> tuple[str, CodeType]:
    """Return a random function that compiles, and its code."""
    for attempt in range(100):
        body = Writer(random.Random(seed * 1000 + attempt)).block(4, False, "  ")
        text = f"def f(w):\n  p, v, t, it, c = w.p, w.v, w.t, w.it, w.c\n{body}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return text, compile(text, "program", "exec")
        except SyntaxError:  # such as `:=` in the iterable of a comprehension
            continue
    raise AssertionError("no program")


class Watched:
    """The graph of a program, and its points by what a run logs."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self.names = Names(self.tree)
        self.function = self.tree.body[0]
        self.control = Control(self.names)
        self.graph = self.control.graph(self.function)
        self.calls: dict[int, ast.Call] = {}
        self.points: dict[tuple[int, str], list[Point]] = {}
        for block, contents in enumerate(self.graph.blocks):
            for index, step in enumerate(contents.steps):
                number = self.number(step.node)
                for word, action in ACTIONS.items():
                    if number and step.action is action:
                        self.points.setdefault((number, word), []).append((block, index))
        self.watched = {point for points in self.points.values() for point in points}

    def number(self, node: ast.AST) -> int:
        """Return the number of the call that a step belongs to."""
        if isinstance(node, ast.For | ast.comprehension):
            node = node.iter
        if isinstance(node, ast.withitem):
            node = node.context_expr
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in {"p", "v", "t", "it", "c"}
        ):
            number = ast.literal_eval(node.args[0])
            assert isinstance(number, int)
            self.calls.setdefault(number, node)
            return number
        return 0

    def onward(self, starts: set[Point]) -> set[Point]:
        """Return the watched points, and the ends, that are next on the paths from some points."""
        todo, seen = list(starts), set(starts)
        while todo:
            point = todo.pop()
            if point not in self.watched:
                fresh = [following for following in self.graph.following(point) if following not in seen]
                seen.update(fresh)
                todo += fresh
        return seen

    def check(self, run: Run) -> None:
        """Follow a run through the graph."""
        at = self.onward({Graph.ENTRY})
        for position, (number, what, raised) in enumerate(run.events):
            here = at & set(self.points.get((number, what), ()))
            assert here, f"no way to {what} {number} at {run.events[position - 3 : position + 1]} in\n{self.text}"
            blocks = self.graph.blocks
            at = self.onward({(blocks[b].handler, 0) if raised else (b, i + 1) for b, i in here})
        if run.events[-1:] and run.events[-1][1:] == ("next", True) and run.end == "return":
            return
        end = Graph.RETURN if run.end == "return" else Graph.FAILURE
        assert end in at, f"no way to {run.end} after {run.events[-3:]} in\n{self.text}"

    def check_bindings(self, run: Run) -> None:
        """Compare what was bound with what the graph says."""
        variables = self.names.scopes[self.function].variables
        for number, seen in run.bound.items():
            for name in set(NAMES) & set(variables):
                answer = self.control.bound_at(variables[name], self.calls[number])
                for bound in seen:
                    possible = {Bound.ALWAYS: name in bound, Bound.NEVER: name not in bound, Bound.MAYBE: True}
                    assert possible[answer], f"{name} is {answer.value} bound at {number} in\n{self.text}"


def check(seed: int) -> None:
    text, code = program(seed)
    watched = Watched(text)
    space: dict[str, object] = {}
    exec(code, space)
    function = space["f"]
    assert callable(function)
    for run in range(RUNS):
        result = Run(function, random.Random(seed * 100 + run))
        watched.check(result)
        watched.check_bindings(result)


@pytest.mark.timeout(SECONDS + 300)
def test_random_programs() -> None:
    """Random functions go only where their graphs go; in stress for COMCH_STRESS_SECONDS, from a new seed."""
    end = time.monotonic() + SECONDS
    first = SEED if SECONDS else 1
    seed = first
    while seed < first + PROGRAMS or time.monotonic() < end:
        check(seed)
        seed += 1
