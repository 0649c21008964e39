"""Names of Python's own in what a rule answers, where the program has them for itself."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import partial
from typing import TypeVar

from migrate.facts.program import Facts
from migrate.rules._answers import Answer, Refusal
from migrate.text.builtin_names import HIDDEN, spelled
from migrate.text.code import Template

_Node = TypeVar("_Node", ast.expr, ast.stmt)


def spelled_out(answer: Answer, facts: Facts) -> Answer:
    """What becomes of an answer whose words the program has other uses for: another spelling, or no change."""
    if isinstance(answer, Refusal):
        return answer
    expressions = _spelled(answer.edits.expressions, facts)
    statements = _spelled(answer.edits.statements, facts)
    if expressions is None or statements is None:
        return Refusal(HIDDEN)
    return answer._replace(edits=answer.edits._replace(expressions=expressions, statements=statements))


def _spelled(templates: Mapping[_Node, Template], facts: Facts) -> Mapping[_Node, Template] | None:
    made: dict[_Node, Template] = {}
    for node, template in templates.items():
        new = spelled(template, partial(_is_hidden, facts, node))
        if new is None:
            return None
        made[node] = new
    return made


def _is_hidden(facts: Facts, node: ast.AST, name: str) -> bool:
    return not facts.has_builtin(node, name)
