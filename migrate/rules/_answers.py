"""What a rule may answer about one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from migrate.old_api.calls import Call
from migrate.text.code import Edits

if TYPE_CHECKING:
    from migrate.facts.program import Facts


class Change(NamedTuple):
    """The call changes. `code` names a page about what differs then, and makes the change need evidence."""

    edits: Edits
    code: str = ""


class Refusal(NamedTuple):
    """The call stays, and so does everything its handles flow through."""

    code: str


Answer: TypeAlias = Change | Refusal
Rule: TypeAlias = "Callable[[Call, Facts], Answer]"
