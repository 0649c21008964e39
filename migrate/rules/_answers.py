"""What a rule may answer about one call."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from migrate.old_api.calls import Call
from migrate.text.code import Edits, Template

if TYPE_CHECKING:
    from migrate.facts.program import Facts

_PIECES = re.compile(r"[{}]")


class Change(NamedTuple):
    """The call changes. `code` names a page about what differs then, and makes the change need evidence."""

    edits: Edits
    code: str = ""


class Refusal(NamedTuple):
    """The call stays, and so does everything its handles flow through."""

    code: str


Answer: TypeAlias = Change | Refusal
Rule: TypeAlias = "Callable[[Call, Facts], Answer]"


def is_same(first: Answer, second: Answer) -> bool:
    """Whether two answers about one place are equal, however they name the parts of the old code."""
    if isinstance(first, Refusal) or isinstance(second, Refusal) or first.code != second.code:
        return first == second
    return _written(first.edits) == _written(second.edits)


def _written(edits: Edits) -> list[tuple[ast.AST, list[object]]]:
    """Return each edited node, with its new text in pieces: words, and the nodes that stand between them."""
    kinds: tuple[Mapping[Any, Template], ...] = (edits.expressions, edits.statements, edits.comments)
    return [
        (node, [template.parts.get(piece, piece) for piece in _PIECES.split(template.text)])
        for templates in kinds
        for node, template in templates.items()
    ]
