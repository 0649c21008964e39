"""Name old classes in annotations that stand in quotes or in type comments."""

from __future__ import annotations

import ast

from migrate.facts.program import Facts
from migrate.old_api.generation_1 import GENERATION_1
from migrate.python.type_comments import MARK, TypeComment, parsed_type
from migrate.rules._answers import Answer, Change, Refusal
from migrate.rules._roles import project_role
from migrate.rules._site import OWNERS
from migrate.text.code import Edits, Template

REFUSED = Refusal("CCM045")
_BEYOND = frozenset("{}\"'\n\\")  # what would need care in a template or in quotes


def quoted(node: ast.Constant, facts: Facts) -> Answer:
    """What becomes of an annotation in quotes or in a type comment: the same with the new names."""
    text = str(node.value)
    tree = parsed_type(text)
    if tree is None or not text.isascii() or _BEYOND & set(text):
        return REFUSED
    parts = [part for part in ast.walk(tree) if isinstance(part, ast.Name | ast.Attribute)]
    named = [(part, name) for part in parts if (name := facts.old_name(node, part))]
    if not named:
        return REFUSED
    for part, name in sorted(named, key=lambda found: found[0].col_offset, reverse=True):
        new = class_name(name, facts)
        if not new:
            return REFUSED
        text = f"{text[: part.col_offset]}{{comch}}.{new}{text[part.end_col_offset :]}"
    return Change(Edits({node: Template(f"{MARK} {text}" if isinstance(node, TypeComment) else f'"{text}"')}))


def class_name(name: str, facts: Facts) -> str:
    """The new name of a class in an annotation, "" for what is no class."""
    if name in GENERATION_1.errors:
        return name
    kind = GENERATION_1.classes.get(name, "")
    return project_role(facts) if kind == "endpoint" else OWNERS.get(kind, "")
