"""Name old classes in annotations that stand in quotes, or in a comment."""

from __future__ import annotations

import ast
import re
from keyword import iskeyword

from migrate.facts.program import Facts
from migrate.rules._answers import Answer, Change, Refusal
from migrate.rules._roles import project_role
from migrate.rules._site import OWNERS
from migrate.text.code import Edits, Template

REFUSED = Refusal("CCM045")
_DOTTED = re.compile(r"[A-Za-z_][\w.]*(?<!\.)")
_IN_TEMPLATE = frozenset("{}")
_BEYOND = frozenset("{}\"'\n\\")  # what would need care in a template or in quotes


def quoted(node: ast.Constant, facts: Facts) -> Answer:
    """What becomes of an annotation in quotes: the same with the new names."""
    text = str(node.value)
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return REFUSED
    if not text.isascii() or _BEYOND & set(text):
        return REFUSED
    parts = [part for part in ast.walk(tree) if isinstance(part, ast.Name | ast.Attribute)]
    named = [(part, name) for part in parts if (name := facts.old_name(node, part))]
    if not named:
        return REFUSED
    for part, name in sorted(named, key=lambda found: found[0].col_offset, reverse=True):
        new = class_name(name, facts, is_tested=facts.is_dispatched(node))
        if not new:
            return REFUSED
        text = f"{text[: part.col_offset]}{{comch}}.{new}{text[part.end_col_offset :]}"
    return Change(Edits({node: Template(f'"{text}"')}))


def commented(node: ast.Constant, facts: Facts) -> Answer:
    """What becomes of a type comment."""
    text = str(node.value)
    if _IN_TEMPLATE & set(text):
        return REFUSED
    for match in reversed(list(_DOTTED.finditer(text))):
        path = ast.parse(match[0], mode="eval").body if _is_path(match[0]) else None
        name = facts.old_name(node, path) if path else None
        new = class_name(name, facts) if name else ""
        lost = isinstance(path, ast.Attribute) and name is None and facts.old_name(node, path.value) is not None
        if lost or (name is not None and not new):
            return REFUSED
        if name:
            text = f"{text[: match.start()]}{{comch}}.{new}{text[match.end() :]}"
    return Change(Edits(comments={node: Template(text)})) if text != node.value else REFUSED


def _is_path(text: str) -> bool:
    return all(part.isidentifier() and not iskeyword(part) for part in text.split("."))


def class_name(name: str, facts: Facts, *, is_tested: bool = False) -> str:
    """The new name of a class in an annotation, "" if it is not a class; is_tested: a choice reads it."""
    if name in facts.vocabulary.errors:
        return name
    kind = facts.vocabulary.classes.get(name, "")
    return project_role(facts, is_tested=is_tested) if kind == "endpoint" else OWNERS.get(kind, "")
