"""Names of Python's own in new text: where the program has such a name for itself, another spelling of the same."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

from migrate.text.code import Template

HIDDEN = "CCM051"
# The classes that a literal has.
_CLASSES = {"bytes": 'b"".__class__', "str": '"".__class__', "int": "(0).__class__", "bool": "True.__class__"}
_CLASSES |= {"list": "[].__class__"}
# What a call of a function becomes, of its arguments; those by keyword come last.
_CALLS = {"len": "{0}.__len__()", "isinstance": "{1}.__instancecheck__({0})", "min": "[*sorted({0}), {1}][0]"}
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_BUILTINS = frozenset(vars(builtins))


class _Use(NamedTuple):
    """A name of Python's own that a text calls, or gives to `isinstance` there."""

    name: ast.Name
    call: ast.Call


def spelled(template: Template, is_hidden: Callable[[str], bool]) -> Template | None:
    """Return a template without names of Python's own that are hidden; None where one has no other spelling."""
    text = template.text
    while hidden := frozenset(filter(is_hidden, _named(text))):
        use = next(use for use in _uses(text) if use.name.id in hidden)
        place, other = _otherwise(text, use)
        if not other:
            return None
        start, end = _span(text, place)
        text = text[:start] + other + text[end:]
    return template if text == template.text else template._replace(text=text)


def _otherwise(text: str, use: _Use) -> tuple[ast.expr, str]:
    """Return what of a text has another spelling, and that, "" for none."""
    name, call = use
    if name is not call.func or name.id in _CLASSES:
        return name, _CLASSES.get(name.id, "")
    values = [*call.args, *(keyword.value for keyword in call.keywords)]
    pieces = [text[slice(*_span(text, value))] for value in values]
    return call, _CALLS.get(name.id, "").format(*pieces)


@cache
def _named(text: str) -> frozenset[str]:
    """Return the names of Python's own among the words of a template."""
    return frozenset(use.name.id for use in _uses(text)) if "(" in text else frozenset()


def _uses(text: str) -> Iterator[_Use]:
    """Yield the uses in a text: those that are given to a function before the function."""
    calls = [node for node in ast.walk(_parsed(text)) if isinstance(node, ast.Call)]
    for call in calls:
        is_test = isinstance(call.func, ast.Name) and call.func.id == "isinstance"
        for part in (*call.args[1:], call.func) if is_test else (call.func,):
            if isinstance(part, ast.Name) and part.id in _BUILTINS:
                yield _Use(part, call)


def _parsed(text: str) -> ast.Module:
    """Return the tree of a template, with names as long as its placeholders; an empty one for half a statement."""
    try:
        return ast.parse(_PLACEHOLDER.sub(r"_\1_", text.lstrip()))
    except SyntaxError:
        return ast.Module([], [])


def _span(text: str, node: ast.expr) -> tuple[int, int]:
    """Return where a node of the tree of a template stands in its text."""
    shift = len(text) - len(text.lstrip())
    lines = text.lstrip().split("\n")

    def offset(line: int, column: int) -> int:
        before = len(lines[line - 1].encode()[:column].decode())
        return shift + sum(len(each) + 1 for each in lines[: line - 1]) + before

    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return offset(node.lineno, node.col_offset), offset(node.end_lineno, node.end_col_offset)
