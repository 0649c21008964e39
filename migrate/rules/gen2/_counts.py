"""Counts of tasks: DOCA 2.5 had their log2."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.rules._answers import Answer, Refusal
from migrate.rules._form import Deferred, late
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
        if _may_be_refused(site):
            return {LOG: f"{{comch}}.arguments.absolute({{{LOG}}})"}
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return {LOG: str(1 << node.value)}
        return {LOG: f"1 << {{{LOG}}}"}

    def deferred(self, site: Site) -> Deferred:
        return late(site, self.plain(site)) if _may_be_refused(site) else super().deferred(site)

    def of_class(self, site: Site) -> Deferred | None:
        return None if _may_be_refused(site) else super().of_class(site)

    def __call__(self, call: Call, facts: Facts) -> Answer:
        """The edits of one call; with a code where C converts a number that cannot be seen."""
        values = _values(call, facts)
        if facts.was_c(call.node) and not all(map(_is_log, values)):
            return Refusal(_OUT_OF_RANGE)
        answer = super().__call__(call, facts)
        known = bool(values) or isinstance(answer, Refusal) or bool(answer.code)
        return answer if known or not facts.was_c(call.node) else answer._replace(code=_UNSEEN)


def _values(call: Call, facts: Facts) -> Sequence[object]:
    """Return what the last argument may be; nothing where that cannot be seen."""
    node = call.arguments.get(LOG)
    if node is None:
        return []
    value = facts.constant(node)
    return [value] if value is not None else facts.choices(node)


def _may_be_refused(site: Site) -> bool:
    """Whether the number itself may fail, as the old call did; in what called C it has a code instead."""
    values = _values(site.call, site.facts)
    return not site.facts.was_c(site.call.node) and not (values and all(map(_is_log, values)))


def _is_log(value: object) -> bool:
    return type(value) is int and 0 <= value <= _MOST_LOG
