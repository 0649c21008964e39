"""Every text that an expression can be: what loops bind, and what is put together of that."""

from __future__ import annotations

import ast

import pytest

from migrate.python._looping import beginning, looped
from migrate.python.source import Source

TABLES = """
ROWS = (("size", 1), ("queue", 2))
OPTIONS = {"size": 1, "queue": 2}
GROWING = {"size": 1}
GROWING["queue"] = 2
GIVEN = {"size": 1}
show(GIVEN)
TWICE = ("size",)
TWICE = ("queue",)
"""
BOTH = ["set_size", "set_queue"]


@pytest.mark.parametrize(
    ("loop", "asked", "expected"),
    [
        ("for name in ('size', 'queue')", '"set_" + name', BOTH),
        ("for name in ('size', 'queue')", 'f"set_{name}"', BOTH),
        ("for name in ('size', 'queue')", '"set_%s" % name', BOTH),
        ("for name in ('size', 'queue')", 'f"set_{name!r}"', []),
        ("for name in ('size', 'queue')", '"set_%5s" % name', []),
        ("for name in ('size', 3)", '"set_" + name', []),
        ("for name in ('size', *more)", '"set_" + name', []),
        ("for name, value in ROWS", '"set_" + name', BOTH),
        ("for number, (name, value) in enumerate(ROWS)", '"set_" + name', BOTH),
        ("for name, value in zip(['size', 'queue'], values)", '"set_" + name', []),
        ("for name, value in zip(['size', 'queue'], [1, 2])", '"set_" + name', BOTH),
        ("for name, value in OPTIONS.items()", '"set_" + name', BOTH),
        ("for name in sorted(OPTIONS)", '"set_" + name', BOTH),
        ("for name in OPTIONS.values()", '"set_" + name', []),
        ("for name in GROWING", '"set_" + name', []),
        ("for name in GIVEN", '"set_" + name', []),
        ("for name in TWICE", '"set_" + name', []),
        ("for name in given", '"set_" + name', []),
        ("if name := given", '"set_" + name', []),
        ("for name in ('size',)", '"set_size"', ["set_size"]),
    ],
)
def test_texts(loop: str, asked: str, expected: list[str]) -> None:
    source = Source(f"{TABLES}\n{loop}:\n    ask({asked})\n".encode())
    call = next(
        node for node in ast.walk(source.tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "ask"
    )
    assert looped(call.args[0], source.names) == expected


def test_a_table_that_another_file_may_change() -> None:
    source = Source(b"OPTIONS = {'size': 1}\nfor name in OPTIONS:\n    ask('set_' + name)\n")
    call = next(node for node in ast.walk(source.tree) if isinstance(node, ast.Call))
    assert looped(call.args[0], source.names) == ["set_size"]
    assert looped(call.args[0], source.names, is_own=lambda table: table.name != "OPTIONS") == []


def test_texts_that_double_have_an_end() -> None:
    lines = "".join(f"    name{number + 1} = name{number} + name{number}\n" for number in range(7))
    source = Source(f"for name0 in ('a', 'b'):\n{lines}    ask(name7)\n".encode())
    call = next(node for node in ast.walk(source.tree) if isinstance(node, ast.Call))
    assert looped(call.args[0], source.names) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [("'set_' + name", ("set_", "name")), ("f'get_{name}'", ("get_", "name")), ("'a%s' % name", ("a", "name")),
     ("name + '_size'", ("", None)), ("f'set_{name}_size'", ("", None)), ("name", ("", None))],
)  # fmt: skip
def test_beginnings(text: str, expected: tuple[str, str | None]) -> None:
    head, rest = beginning(ast.parse(text, mode="eval").body)
    assert (head, rest and ast.unparse(rest)) == expected
