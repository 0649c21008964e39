"""Names that are taken from the module as a value, which is evaluated as before."""

from __future__ import annotations

import ast

from migrate.rules._answers import Answer, Refusal
from migrate.text.code import Edits, Template


def taken_from(answer: Answer, module: ast.expr) -> Answer:
    """What becomes of a change whose module is the value of an expression: a path, or evaluated once and first."""
    if isinstance(answer, Refusal):
        return answer
    templates = answer.edits.expressions
    plain = _is_plain(module)
    if not plain and not all(map(_begins_with_module, templates.values())):
        return Refusal("CCM009")
    if plain:
        return answer
    return answer._replace(edits=Edits({node: _with(template, module) for node, template in templates.items()}))


def _is_plain(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _begins_with_module(template: Template) -> bool:
    return template.text.startswith("{comch}") and template.text.count("{comch}") == 1


def _with(template: Template, module: ast.expr) -> Template:
    return Template("{module}" + template.text.removeprefix("{comch}"), {"module": module, **template.parts})
