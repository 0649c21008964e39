"""Message flags of DOCA 1.2 to 1.4: DONTWAIT is a timeout of 0, MORE asks for nothing."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.rules._answers import Answer, Refusal, Rule
from migrate.rules._forms import Method

_DONTWAIT, _MORE = 1, 2


def _value(node: ast.expr, facts: Facts) -> object:
    """The value of flags that are written as a number, as names, or as several joined by `|`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        left, right = _value(node.left, facts), _value(node.right, facts)
        return left | right if isinstance(left, int) and isinstance(right, int) else None
    named = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return facts.vocabulary.constants.get(named, facts.constant(node))


def by_flags(form: Callable[[Call, Facts], Method]) -> Rule:
    """A rule for a call whose flags can be seen: with the form chosen, and a timeout where they ask for it."""

    def rule(call: Call, facts: Facts) -> Answer:
        flags = call.arguments.get("flags")
        value = None if flags is None else _value(flags, facts)
        if not call.problem and (not isinstance(value, int) or not 0 <= value <= _DONTWAIT | _MORE):
            return Refusal("CCM040")
        chosen = form(call, facts)
        options = "timeout=0" if isinstance(value, int) and value & _DONTWAIT else ""
        others = {name: node for name, node in call.arguments.items() if name != "flags"}
        return replace(chosen, options=options)(replace(call, arguments=others), facts)

    return rule
