"""What is to change, as edits on syntax nodes; the renderer turns them into text."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

_NOTHING: Mapping[Any, Any] = MappingProxyType({})


class Template(NamedTuple):
    """Text with {placeholders} for expressions of the old file.

    {comch} is the new module's name in that scope, {brace} the opening brace of a text that the program has written.
    """

    text: str
    parts: Mapping[str, ast.expr] = _NOTHING


def verbatim(text: str) -> Template:
    """Return the template of a text that is the program's, at least in part: nothing in it is a placeholder."""
    return Template(text.replace("{", "{brace}"))


class Edits(NamedTuple):
    """Edits of one call or name. Templates hold every part at most once and in the order of the old text."""

    expressions: Mapping[ast.expr, Template] = _NOTHING
    statements: Mapping[ast.stmt, Template] = _NOTHING  # one simple statement for another
    comments: Mapping[ast.Constant, Template] = _NOTHING  # of types, which no tree has
