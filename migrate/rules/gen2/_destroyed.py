"""Destruction of what comch_next lets a program destroy twice."""

from __future__ import annotations

from dataclasses import dataclass

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.rules._answers import Answer, Change
from migrate.rules._forms import Method

_TWICE = "CCM114"


@dataclass(frozen=True)
class Destroyed(Method):
    """A destruction, with a code where there may have been another one."""

    def __call__(self, call: Call, facts: Facts) -> Answer:
        """The edits of one call."""
        answer = super().__call__(call, facts)
        again = call.receiver is not None and facts.may_be_closed(call.receiver)
        return answer._replace(code=answer.code or _TWICE) if again and isinstance(answer, Change) else answer
