"""Comparisons by identity of what is a member of an enum now: by `==` and `!=`, which ask for the number."""

from __future__ import annotations

import ast
from collections.abc import Set

from migrate.facts.identities import Identity
from migrate.rules._answers import Answer, Refusal
from migrate.text.code import Template

_BY_VALUE: dict[type[ast.cmpop], str] = {ast.Is: "==", ast.IsNot: "!="}
_TEXTS: dict[type[ast.cmpop], str] = {
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


def by_value(answer: Answer, identity: Identity | None) -> Answer:
    """What becomes of a reference whose value is compared by identity: those comparisons change with it."""
    if identity is None or isinstance(answer, Refusal):
        return answer
    if identity.is_told:
        return Refusal("CCM082")
    expressions = dict(answer.edits.expressions)
    expressions |= {node: _equal(node, places) for node, places in identity.equal.items()}
    return answer._replace(edits=answer.edits._replace(expressions=expressions))


def _equal(node: ast.Compare, places: Set[int]) -> Template:
    operators = [(_BY_VALUE if at in places else _TEXTS)[type(operator)] for at, operator in enumerate(node.ops)]
    operands = {f"operand_{at}": operand for at, operand in enumerate((node.left, *node.comparators))}
    numbers = {name: repr(it.value) for name, it in operands.items() if isinstance(it, ast.Constant)}
    texts = [numbers.get(name, f"{{{name}}}") for name in operands]
    words = [word for pair in zip(["", *operators], texts, strict=True) for word in pair]
    return Template(" ".join(words[1:]), {name: it for name, it in operands.items() if name not in numbers})
