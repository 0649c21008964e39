"""Programs with marks: `at_NAME(expression)` in their text, and the facts about them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from types import MappingProxyType

from migrate.facts.program import Facts
from migrate.python.source import Source


class Marked:
    """The facts of a project, whose given files are all but those in `context`; `expressions` are its marks."""

    def __init__(
        self,
        others: Mapping[str, str] = MappingProxyType({}),
        *,
        context: frozenset[str] = frozenset(),
        **files: str,
    ) -> None:
        sources = {Path(f"{name}.py"): Source(dedent(text).encode()) for name, text in {**others, **files}.items()}
        given = frozenset(path for path in sources if path.stem not in context)
        self.facts = Facts(sources, given)
        self.expressions: dict[str, ast.expr] = {}
        for source in sources.values():
            for node in ast.walk(source.tree):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.startswith("at_"):
                    self.expressions[node.func.id.removeprefix("at_")] = node.args[0]

    def __getitem__(self, mark: str) -> ast.expr:
        return self.expressions[mark]

    def references(self) -> list[tuple[str, str]]:
        """Return the name and code of every reference, in order."""
        return [(reference.name, reference.code) for reference in self.facts.references]

    def codes(self) -> list[tuple[str, str]]:
        """Return the name and code of the references that cannot change."""
        return [(name, code) for name, code in self.references() if code]

    def obstacles(self) -> set[str]:
        """Return the codes of all obstacles of all handles of the old calls."""
        origins = {
            origin
            for call in self.facts.calls.values()
            for argument in (*call.arguments.values(), call.node)
            for origin in self.facts.handles(argument)
        }
        return {obstacle.code for origin in origins for obstacle in self.facts.obstacles(origin)}
