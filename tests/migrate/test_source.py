"""Sources: bytes, positions and what cannot be read."""

from __future__ import annotations

import ast
import sys

import pytest

from migrate.python.source import Source, Unreadable


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfx = '\xc3\xa9'; y = 1\r\n",
        b"# -*- coding: latin-1 -*-\nx = '\xe9'; y = 1",
        b"x = '\xc3\xa9\xf0\x9f\x98\x80'; y = 1\r\x0cy\r\nz\n",
        b"#!/usr/bin/python\n\ty = 1\n".replace(b"\t", b""),
        b"",
    ],
)
def test_bytes(data: bytes) -> None:
    """A text that does not change gives the bytes that it came from; a node's text is its own."""
    source = Source(data)
    assert source.encode(source.text) == data
    assert "".join(source.lines) == source.text
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "y":
            assert source.slice(node) == "y = 1"


def many(text: str, times: int) -> bytes:
    return (text * times).encode()


UNREADABLE = {
    "syntax": b"print 'x'",
    "unknown encoding": b"# coding: nowhere\n",
    "wrong bytes": b"x = '\xff'",
    "null": b"x = 1\0",
    "too deep for the parser": many("(", 5000) + many(")", 5000),
    "too deep for the tree": b"x = " + many("-", 20_000) + b"1" if sys.version_info >= (3, 11) else b"(",
}


@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable(data: bytes) -> None:
    """What cannot be read raises one error, which says why."""
    with pytest.raises(Unreadable, match=r".+"):
        Source(data)


def test_memory_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is too much for the parser is unreadable; the run goes on."""

    def parse(*_: object, **__: object) -> ast.Module:
        raise MemoryError

    monkeypatch.setattr(ast, "parse", parse)
    with pytest.raises(Unreadable, match="MemoryError"):
        Source(b"x")


def test_warnings() -> None:
    """A doubtful escape in the program is its own affair, also where warnings are errors."""
    assert Source(b"x = '\\d'\nassert (x, 1)").text


def test_lines() -> None:
    """A statement knows whether it has its lines to itself, and a line how it ends and is indented."""
    source = Source(b"if x:\r\n\ta; b  # c\r\n\tc  # d\n\te")
    first, second, third, fourth = source.tree.body[0].body  # type: ignore[attr-defined]
    alone = [source.is_alone(statement) for statement in (first, second, third, fourth)]
    assert alone == [False, False, True, True]
    assert [source.is_first(statement) for statement in (first, second)] == [True, False]
    assert [source.line_end(line) for line in (1, 3, 4)] == ["\r\n", "\n", "\r\n"]
    assert source.indentation(2) == "\t"
