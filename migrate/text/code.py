"""What is to change, as edits on syntax nodes; the renderer turns them into text."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Template:
    """Text with {placeholders} for expressions of the old file; {comch} is the new module's name in that scope."""

    text: str
    parts: Mapping[str, ast.expr] = field(default_factory=dict)


@dataclass(frozen=True)
class Edits:
    """Edits of one call or name. Templates hold every part at most once and in the order of the old text."""

    expressions: Mapping[ast.expr, Template] = field(default_factory=dict)
    statements: Mapping[ast.stmt, Template] = field(default_factory=dict)  # one simple statement for another
    comments: Mapping[ast.Constant, Template] = field(default_factory=dict)  # of types, which no tree has
