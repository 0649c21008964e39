"""Message flags: generation 1 has none but DOCA_CC_MSG_FLAG_NONE."""

from __future__ import annotations

import ast

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.rules._answers import Answer, Refusal, Rule

_NONE = "DOCA_CC_MSG_FLAG_NONE"


def _is_none(node: ast.expr, facts: Facts) -> bool:
    named = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    if named == _NONE or facts.constant(node) == 0:
        return True
    found = facts.choices(node)
    return bool(found) and all(value == 0 for value in found)


def without_flags(rule: Rule) -> Rule:
    """A rule for calls whose flags, if they have any, are none."""

    def checked(call: Call, facts: Facts) -> Answer:
        flags = call.arguments.get("flags")
        return rule(call, facts) if flags is None or _is_none(flags, facts) else Refusal("CCM040")

    return checked
