"""The rules write the very expressions that were run against generation 1: see tests/equivalence."""

from __future__ import annotations

import ast

import pytest

from tests.equivalence.table import ROWS
from tests.migrate.fake_facts import rewritten

# Of these the table runs another form than the one that a program would have.
NOT_WRITTEN = {
    ("sendto_length", "objects"),  # the old spelling has no length
    ("get_event_channel", "on_class"),  # two properties: a condition instead of a function of the class
}


def _same(text: str) -> str:
    return ast.unparse(ast.parse(text))


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("form", ["objects", "flat", "on_class"])
def test_a_rule_writes_what_was_compared(name: str, form: str) -> None:
    if (name, form) in NOT_WRITTEN:
        return
    row = ROWS[name]
    old = row.objects if form == "objects" else row.flat.replace("cc.", "")
    new = {"objects": row.new_objects, "flat": row.new_flat, "on_class": row.on_class}[form]
    before, after = (old, new) if _is_statement(new) else (f"r = {old}", f"r = {new}")
    none = frozenset({"ep", "peer"}) if form == "on_class" else frozenset[str]()
    assert _same(rewritten(before, none=none)) == _same(after)


def _is_statement(text: str) -> bool:
    return isinstance(ast.parse(text).body[0], ast.Assign)
