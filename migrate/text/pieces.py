"""Pieces of text: what takes their place, and what is in them."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate
from typing import NamedTuple

_BETWEEN = re.compile(r"\s+(?=#\s)")  # the comments of one line
_TOOLS = "fmt|isort|flake8|mypy|noinspection|pragma|pylint|pyright|ruff|type|yapf"
_DIRECTIVE = re.compile(rf"#\s*(?:(?:{_TOOLS}):|(?:noqa|nosec|nosemgrep)\b)", re.IGNORECASE)


class Change(NamedTuple):
    """A piece of the old text and what takes its place."""

    start: int
    end: int
    text: str


def splice(text: str, changes: list[Change], start: int = 0, end: int | None = None) -> str:
    """Apply changes that do not overlap to a piece of a text; insertions at one place keep their order."""
    pieces, position = [], start
    ordered = sorted(changes, key=lambda change: (change.start, change.end)) if len(changes) > 1 else changes
    for change in ordered:
        pieces += [text[position : change.start], change.text]
        position = max(position, change.end)
    return "".join([*pieces, text[position:end]])


def remarks(text: str) -> list[str]:
    """Return the comments in a piece of Python, without what tells tools about its lines: `# noqa`, `# fmt: skip`."""
    parts = [_BETWEEN.split(comment) for comment in comments(text)]
    told = ["  ".join(part for part in found if not _DIRECTIVE.match(part)) for found in parts]
    return [remark for remark in told if remark]


def comments(text: str) -> list[str]:
    """Return the comments in a piece of Python."""
    return [text[start:end] for start, end in _comment_spans(text)]


def with_other_comment(text: str, old: str, new: str) -> str:
    """Return a piece of Python in which the first of its comments that are equal to one is another."""
    for start, end in _comment_spans(text):
        if text[start:end] == old:
            return text[:start] + new + text[end:]
    return text


def _comment_spans(text: str) -> Iterator[tuple[int, int]]:
    opened = f"({text}\n)"
    starts = list(accumulate((len(line) + 1 for line in opened.split("\n")), initial=-1))
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(opened).readline):
            if token.type == tokenize.COMMENT:
                start = starts[token.start[0] - 1] + token.start[1]
                yield start, start + len(token.string)


def moved(line: str, old: int, new: int) -> str:
    """Return a line that is indented by a column or more as far from another one."""
    indent = len(line) - len(line.lstrip(" "))
    return " " * (indent - old + new) + line[indent:] if indent >= old and line.strip() else line


def realigned(text: str, old: int, new: int) -> str:
    """Return a piece of Python whose lines behind the first are moved, but for those that begin inside of strings."""
    first, *rest = text.split("\n")
    inside = _begun_in_strings(text) if rest else ()
    return "\n".join([first, *(line if at in inside else moved(line, old, new) for at, line in enumerate(rest, 1))])


def _begun_in_strings(text: str) -> set[int]:
    """Return the numbers, from 0, of the lines of a piece of Python that begin inside of a string."""
    found: set[int] = set()
    opened: list[int] = []
    with suppress(tokenize.TokenError, SyntaxError):
        for token in tokenize.generate_tokens(io.StringIO(f"({text}\n)").readline):
            kind = tokenize.tok_name[token.type]
            if kind.endswith("STRING_START"):
                opened.append(token.start[0])
            start = opened.pop() if kind.endswith("STRING_END") else token.start[0]
            found |= set(range(start, token.end[0])) if "STRING" in kind else set()
    return found


def open_bracket(text: str) -> int:
    """Return where the last bracket opens that the text does not close, -1 if there is none."""
    stack = [-1]
    for at, character in enumerate(text):
        if character in "([{":
            stack.append(at)
        elif character in ")]}" and len(stack) > 1:
            stack.pop()
    return stack[-1]


def is_word(character: str) -> bool:
    """Whether a character may be part of a name."""
    return character.isalnum() or character == "_"


def is_whole(text: str) -> bool:
    """Whether a text over several lines is an expression without brackets around it."""
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True


def reread(node: ast.expr, piece: str) -> ast.expr:
    """Return what a part is by its new text; a name where that has brackets around it."""
    try:
        new = ast.parse(piece, mode="eval").body
    except SyntaxError:
        return node
    return new if (new.lineno, new.col_offset) == (1, 0) else ast.Name("")
