"""New text where the program has names of Python's own for itself: another spelling of the same, or none."""

from __future__ import annotations

import builtins

import pytest

from migrate.text.builtin_names import spelled
from migrate.text.code import Template

CELL = "({a}[0] if isinstance({a}, list) else {a})"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("len({a})", b"abc"),
        ("(lambda a: (a, len(a)))({a})", [1, 2]),
        ("bytes({a}[:2])", bytearray(b"abc")),
        ('bytes({a}).partition(b"\\0")[0].decode()', bytearray(b"ab\0c")),
        ("[len({a}), bytes({a}), len(bytes({a}))]", bytearray(b"abc")),
        (CELL, [3]),
        (CELL, 4),
        ("isinstance({a}, bytes)", b""),
        ("str(int({a}))", True),
        ("bool({a})", 0),
        ("min((number for number in {a}), default=128)", [5, 4]),
        ("min((number for number in {a}), default=128)", []),
    ],
)
def test_has_another_spelling_that_means_the_same(text: str, value: object) -> None:
    hidden = {"len", "bytes", "isinstance", "list", "str", "int", "bool", "min"}
    other = spelled(Template(text), hidden.__contains__)
    assert other is not None
    wanted = eval(text.replace("{a}", "a"), {"a": value})
    assert eval(other.text.replace("{a}", "a"), {"a": value, **dict.fromkeys(hidden)}) == wanted


@pytest.mark.parametrize("text", ["bytearray({size})", "memoryview({buffer})[:{size}]", "len(bytearray({size}))"])
def test_has_no_other_spelling(text: str) -> None:
    assert spelled(Template(text), {"len", "bytearray", "memoryview"}.__contains__) is None


def test_sorts_only_by_a_name_of_pythons_own() -> None:
    text = "min((number for number in {a}), default=128)"
    assert spelled(Template(text), {"min", "sorted"}.__contains__) is None


@pytest.mark.parametrize(
    "text",
    [
        "len({a})",
        "{len}.pending",  # the parameter of C
        "len[0] if isinstance(len, list) else len",  # a cell of the program's
        "{a}.len({b})",
        "{comch}.bytes({a})",
        "try:\n    bytes({a})",  # half a statement
        "import doca_cc as len",
    ],
)
def test_leaves_what_is_not_hidden(text: str) -> None:
    template = Template(text)
    assert spelled(template, (vars(builtins).keys() - {"isinstance", "list", "len"}).__contains__) is template


def test_keeps_what_stands_around() -> None:
    template = Template("    héé = len(\n{a})", {})
    other = spelled(template, {"len"}.__contains__)
    assert other is not None
    assert other.text == "    héé = {a}.__len__()"
