"""Expressions by themselves: constants, bytes, effects, names that are free."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from migrate.facts.expressions import Expressions
from migrate.facts.forest import Forest
from migrate.old_api.generation_1 import GENERATION_1
from migrate.python.scopes import Names
from migrate.python.values import External, Function, Plain, Value
from tests.migrate.marked import Marked

PATH = Path("program.py")


class ByName:
    """Values for tests: functions of the program, and what `struct` and the like are."""

    def __init__(self, tree: ast.Module) -> None:
        self._functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}

    def of(self, node: ast.expr) -> frozenset[Value]:
        text = ast.unparse(node)
        if text in self._functions:
            return frozenset({Function(self._functions[text])})
        return frozenset({External(text) if text.startswith("struct.") else Plain.UNKNOWN})

    def has_own(self, value: Value, method: str) -> bool:
        return False


def program(text: str) -> tuple[Expressions, dict[str, ast.expr]]:
    """Return the expressions of a program, and its marked ones: the arguments of `at_<mark>(...)`."""
    tree = ast.parse(text)
    marks = {
        node.func.id.removeprefix("at_"): node.args[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.startswith("at_")
    }
    return Expressions(Forest({PATH: Names(tree)}), ByName(tree), frozenset(), GENERATION_1), marks


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("at_x(64 * 1024)", 65536),
        ("SIZE = 4080\nat_x(SIZE)", 4080),
        ("SIZE = 4080\ndef f():\n    at_x(-SIZE)", -4080),
        ("SIZE: int = 1 | 2\nat_x(SIZE)", 3),
        ("NAME = 'svc'\nat_x(NAME)", "svc"),
        ("SIZE = 1\nSIZE = 2\nat_x(SIZE)", None),
        ("SIZE = 1\ndef f():\n    global SIZE\n    SIZE = 2\nat_x(SIZE)", None),
        ("SIZE = 1\nSIZE += 1\nat_x(SIZE)", None),
        ("import config\nSIZE = 1\nconfig.SIZE = 2\nat_x(SIZE)", None),
        ("for SIZE in (1, 2):\n    at_x(SIZE)", None),
        ("at_x(1 // 0)", None),
        ("at_x(size())", None),
        ("def f(size=1):\n    at_x(size)", None),
    ],
)
def test_constants(text: str, value: object) -> None:
    expressions, marks = program(text)
    assert expressions.constant(marks["x"]) == value


def test_a_very_deep_sum_is_no_constant() -> None:
    expressions, marks = program("at_x(" + "1 + " * 900 + "1)")
    assert expressions.constant(marks["x"]) is None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("at_x(b'hello')", True),
        ("at_x(b'%d' % 5)", True),
        ("at_x('hello')", False),
        ("at_x(text.encode())", True),
        ("at_x(bytes(12))", True),
        ("bytes = list\nat_x(bytes(12))", False),
        ("import struct\nat_x(struct.pack('!I', 1) + b'x')", True),
        ("import array\nat_x(array.array('I', [1]))", False),
        ("def f(msg):\n    at_x(msg)", False),
        ("msg = b'a'\nmsg += b'b'\nat_x(msg)", True),
        ("msg = b'a'\nmsg = build()\nat_x(msg)", False),
        ("msg = b'a' if now else b'b'\nat_x(msg[2:])", True),
        ("msg = b'a'\nat_x(msg[0])", False),
        ("msg = b'a'\nat_x(memoryview(msg)[1:])", True),
        ("def build():\n    return b'x' * 8\nat_x(build())", True),
        ("def build():\n    yield b'x'\nat_x(build())", False),
        ("def build():\n    if now:\n        return\n    return b'x'\nat_x(build())", False),
        ("at_x(3 * b'abc')", True),
        ("at_x((m := b'abc'))", True),
    ],
)
def test_bytes(text: str, answer: bool) -> None:
    expressions, marks = program(text)
    assert expressions.is_bytes(marks["x"]) is answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("at_x(device)", True),
        ("at_x(args.size)", True),
        ("at_x(64 * 64)", True),
        ("at_x(None)", True),
        ("at_x(make())", False),
        ("at_x(config['size'])", False),
        ("f((device := make()), at_x(device))", False),
    ],
)
def test_simple(text: str, answer: bool) -> None:
    expressions, marks = program(text)
    assert expressions.is_simple(marks["x"]) is answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("cell = [None]\nat_x(cell[0])", True),
        ("pair = (1, 2)\nat_x(pair[1])", True),
        ("cell = [None]\nat_x(cell[len(cell) - 1])", False),
        ("table = {'a': 1}\nat_x(table['a'])", False),
        ("class Own:\n    def __getitem__(self, index):\n        return print(index)\nat_x(Own()[0])", False),
        ("def f(cell):\n    at_x(cell[0])", False),
    ],
)
def test_items_are_simple_in_lists_and_tuples(text: str, answer: bool) -> None:
    marked = Marked(main=f"from doca_cc import *\n{text}\n")
    assert marked.facts.is_simple(marked["x"]) is answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("at_x(len)", True),
        ("def f(len):\n    at_x(len)", False),
        ("from doca_comm_channel import *\nat_x(len)", True),
        ("from elsewhere import *\nat_x(len)", False),
        ("import other\nother.len = 1\nat_x(len)", False),
        ("len = 1\ndef f():\n    at_x(len)", False),
    ],
)
def test_names_of_python_itself(text: str, answer: bool) -> None:
    expressions, marks = program(text)
    assert isinstance(marks["x"], ast.Name)
    assert expressions.is_builtin(marks["x"]) is answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("at_x(ep.send(1))", False),
        ("async def f():\n    at_x(await ep)", True),
        ("at_x((y := ep))", True),
        ("class C:\n    ep = 1\n    at_x(ep)", True),
        ("class C:\n    eps = [at_x(ep) for ep in []]", True),
        ("class C:\n    def f(self):\n        at_x(super())", True),
        ("async def f():\n    at_x([e async for e in ep])", True),
    ],
)
def test_what_a_lambda_would_change(text: str, answer: bool) -> None:
    expressions, marks = program(text)
    assert expressions.is_awaited_or_generator_scope(marks["x"]) is answer


def test_fresh_names_are_used_neither_around_nor_inside() -> None:
    text = "comch = 1\ndef f(message):\n    at_x(1)\n    def g():\n        return inner\ndef h():\n    elsewhere = 2\n"
    expressions, marks = program(text)
    assert expressions.fresh(marks["x"], "comch") == "comch_2"
    assert expressions.fresh(marks["x"], "message", "text") == "text"
    assert expressions.fresh(marks["x"], "inner", "elsewhere") == "elsewhere"


def test_statements() -> None:
    expressions, marks = program("at_x(f(1))\nf(2)")
    assert not expressions.is_statement(marks["x"])
