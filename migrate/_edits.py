"""What is to change, as edits on syntax nodes; the renderer turns them into text."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

FOLD, FOLD_END = "\v", "\f"  # where a line is broken when it is too long, and where its closing bracket goes


@dataclass(frozen=True)
class Template:
    """Text with {placeholders} for expressions of the old file; {comch} is the new module's name."""

    text: str
    parts: dict[str, ast.expr] = field(default_factory=dict)


@dataclass
class Edits:
    """Edits of one call, of one group, or of a whole file."""

    expressions: dict[ast.expr, Template] = field(default_factory=dict)
    statements: dict[ast.stmt, list[Template]] = field(default_factory=dict)  # [] deletes
    before: dict[ast.stmt, list[Template]] = field(default_factory=dict)
    notes: dict[ast.AST, str] = field(default_factory=dict)

    def add(self, other: Edits) -> None:
        """Take over another set of edits."""
        self.expressions |= other.expressions
        self.statements |= other.statements
        self.notes |= other.notes
        for statement, lines in other.before.items():
            self.before.setdefault(statement, []).extend(lines)

    def templates(self) -> list[Template]:
        """Every template, wherever it goes."""
        lines = [*self.statements.values(), *self.before.values()]
        return [*self.expressions.values(), *(each for group in lines for each in group)]
