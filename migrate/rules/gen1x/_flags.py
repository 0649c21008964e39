"""Message flags of DOCA 1.2 to 1.4: DONTWAIT is a timeout of 0, MORE has no effect."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from itertools import product

from migrate.facts.program import Facts
from migrate.old_api.calls import Call
from migrate.rules._answers import Answer, Refusal, Rule
from migrate.rules._forms import Method

_DONTWAIT, _MORE = 1, 2
_WAITS = "{comch}.arguments.UNSET"


def _values(node: ast.expr, facts: Facts) -> list[object]:
    """The values of flags: a number, names, several joined by `|`, a choice; nothing where one is not seen."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        pairs = product(_values(node.left, facts), _values(node.right, facts))
        return [left | right for left, right in pairs if isinstance(left, int) and isinstance(right, int)]
    if isinstance(node, ast.IfExp):
        sides = [_values(side, facts) for side in (node.body, node.orelse)]
        return sides[0] + sides[1] if all(sides) else []
    named = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    value = facts.vocabulary.constants.get(named, facts.constant(node))
    return facts.choices(node) if value is None else [value]


def _timeout(flags: ast.expr, facts: Facts) -> tuple[str, ast.expr]:
    """The timeout for flags that ask to wait at times, and the expression that it names `{flags}`."""
    if not isinstance(flags, ast.IfExp):
        return f"0 if {{flags}} & {_DONTWAIT} else {_WAITS}", flags
    sides = [_values(side, facts) for side in (flags.body, flags.orelse)]
    if any(len(side) > 1 for side in sides):
        return f"0 if ({{flags}}) & {_DONTWAIT} else {_WAITS}", flags
    body, orelse = ("0" if isinstance(side[0], int) and side[0] & _DONTWAIT else _WAITS for side in sides)
    return f"{body} if {{flags}} else {orelse}", flags.test


def by_flags(form: Callable[[Call, Facts], tuple[Method, Call]]) -> Rule:
    """A rule for a call whose flags can be seen: with the form chosen, and a timeout where they ask for it."""

    def rule(call: Call, facts: Facts) -> Answer:
        chosen, shown = form(call, facts)
        if call.problem:
            return chosen(call, facts)
        flags = call.arguments["flags"]
        values = _values(flags, facts)
        if not values or not all(isinstance(value, int) and 0 <= value <= _DONTWAIT | _MORE for value in values):
            return Refusal("CCM040")
        waits = {not value & _DONTWAIT for value in values if isinstance(value, int)}
        if len(waits) > 1:
            made, asked = _timeout(flags, facts)
            inputs = {"flags": "timeout", **chosen.inputs}  # by keyword, which it is
            given = {**shown.arguments, "flags": asked}
            return replace(chosen, inputs=inputs, made={"flags": made})(replace(shown, arguments=given), facts)
        others = {name: node for name, node in shown.arguments.items() if name != "flags"}
        options = "" if waits == {True} else "timeout=0"
        return replace(chosen, options=options)(replace(shown, arguments=others), facts)

    return rule
