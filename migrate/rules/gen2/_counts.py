"""Counts of tasks: DOCA 2.5 had their log2."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.rules._answers import Answer, Refusal
from migrate.rules._site import Site
from migrate.rules.gen2._callbacks import Registered

_MOST_LOG = 31  # of a count with 32 bits
_UNSEEN, _OUT_OF_RANGE = "CCM110", "CCM111"
LOG = "log_num_tasks"


@dataclass(frozen=True)
class Counted(Registered):
    """A configuration of tasks whose last argument was the log2 of their number."""

    def counted(self, site: Site) -> dict[str, str]:
        node = site.call.arguments.get(LOG)
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return {LOG: str(1 << node.value)}
        return {LOG: f"1 << {{{LOG}}}"}

    def __call__(self, call: Call, facts: Facts) -> Answer:
        """The edits of one call, with a code where the number cannot be seen."""
        node = call.arguments.get(LOG)
        value = facts.constant(node) if node is not None else None
        values = [value] if value is not None else facts.choices(node) if node is not None else []
        if any(type(value) is not int or not 0 <= value <= _MOST_LOG for value in values):
            return Refusal(_OUT_OF_RANGE)
        answer = super().__call__(call, facts)
        known = bool(values) or isinstance(answer, Refusal) or bool(answer.code)
        return answer if known else answer._replace(code=_UNSEEN)
