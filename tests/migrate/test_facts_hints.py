"""Types that a program reads from annotations: names may be gone through, what is seen of the types keeps them old."""

from __future__ import annotations

import pytest

from migrate.rewriting import rewrite

HEAD = """\
import inspect, typing
import doca_comm_channel as cc
from typing import get_type_hints
def push(end: cc.Endpoint, to: "cc.PeerAddr | None" = None) -> None: ...
def names(given): return [name for name in given if name != "return"]
def show(given): print(given)
"""


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("print(sorted(typing.get_type_hints(push)), len(get_type_hints(push)))", False),
        ("print(names(inspect.get_annotations(push)))", False),
        ("hints = get_type_hints(push)\nfor name in hints: print(name, 'to' in hints)", False),
        ("get_type_hints(push)", True),
        ("show(get_type_hints(push))", True),
        ("print(get_type_hints(push)['end'])", True),
        ("for name, kind in get_type_hints(push).items(): print(name)", True),
        ("print([get_type_hints(push)])", True),
        ("print(f'{get_type_hints(push)}')", True),
        ("print(get_type_hints(push) == {})", True),
        ("class A: pass\na = A()\na.hints = get_type_hints(push)\nprint(a.hints.values())", True),
        ("def hints(): return get_type_hints(push)", True),
        ("import other\nprint(other.get_type_hints(push))", True),
        ("print(push.__annotations__)", True),
        ("notes = push.__annotations__\nprint(notes.items())", True),
        ("print(push.__annotations__['to'])", True),
        ("print(push.__annotations__['return'], 'to' in push.__annotations__)", False),
        ("notes = push.__annotations__\nprint(sorted(notes), [name for name in notes], notes.keys())", False),
        ("print(names.__annotations__)", False),
        ("def to(end: 'cc.Device') -> None: ...\nprint(get_type_hints(to))", True),
        ("class A:\n    end: cc.Endpoint\nprint(A.__annotations__)", True),
        ("class A:\n    end: int\nprint(A.__annotations__)", False),
    ],
)
def test_types_that_are_seen_stay(text: str, seen: bool) -> None:
    codes = {finding.code for finding in rewrite(f"{HEAD}{text}\n".encode()).findings}
    assert ("CCM082" in codes) is seen
