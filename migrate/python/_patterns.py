"""Draws `match` statements."""

from __future__ import annotations

import ast
from typing import Any

from migrate.python._drawing import Drawing, Task
from migrate.python._expressions import body
from migrate.python._graph import Action


def match(draw: Drawing, node: ast.Match) -> Task:
    """Draw the cases one after the other; a guard that fails goes on to the next."""
    yield node.subject
    after = draw.new()
    for case in node.cases:
        following = draw.new()
        draw.step(case, Action.START)
        yield _pattern(draw, case.pattern, following)
        if case.guard is not None:
            holds = draw.new()
            yield draw.condition(case.guard, holds, following)
            draw.block = holds
        yield body(case.body)
        draw.connect(after)
        draw.block = following
    draw.begin(after)


def _pattern(draw: Drawing, pattern: Any, following: int) -> Task:
    """Draw a pattern: its values are compared in an order that depends on the subject, then its names are bound."""
    parts = list(ast.walk(pattern))
    values = [
        part for part in parts if isinstance(part, ast.expr) and not isinstance(draw.graph.parents[part], ast.expr)
    ]
    if values:
        draw.begin()
        hub = draw.block
        for value in values:
            draw.begin()
            yield value
            draw.connect(hub)
            draw.block = hub
    if not _always_matches(pattern):
        draw.connect(following)
    draw.begin()
    for part in parts:
        if getattr(part, "rest" if isinstance(part, ast.MatchMapping) else "name", None):
            draw.step(part)


def _always_matches(pattern: Any) -> bool:
    if isinstance(pattern, ast.MatchOr):
        return any(_always_matches(choice) for choice in pattern.patterns)
    return isinstance(pattern, ast.MatchAs) and (pattern.pattern is None or _always_matches(pattern.pattern))
