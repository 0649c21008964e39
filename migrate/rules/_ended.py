"""Ends of handles, which comch_next lets a program end twice."""

from __future__ import annotations

from dataclasses import dataclass, replace

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.rules._answers import Answer
from migrate.rules._forms import Method


@dataclass(frozen=True)
class Ended(Method):
    """An end: strict where there may have been another one, in the spellings that refuse it then."""

    refused_in: tuple[str, ...] = ("objects", "flat")

    def __call__(self, call: Call, facts: Facts) -> Answer:
        """The edits of one call."""
        again = call.receiver is not None and facts.may_be_closed(call.receiver)
        is_strict = again and call.spelling in self.refused_in
        return Method.__call__(replace(self, options="strict=True") if is_strict else self, call, facts)
