"""Breaks lines that an edit has made too long, inside of their widest brackets."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from migrate.python.source import Source

SHORTEST, LONGEST = 79, 120  # between these, what is too long is what the file itself shows
_OUTLIERS = 100  # one line in so many may be longer than the file's width
_TAB = 4
_OPEN, _CLOSE = "([{", ")]}"


class _Bracket(NamedTuple):
    """A pair of brackets on one line, with the commas between; columns in the line."""

    depth: int
    start: int
    end: int
    commas: tuple[int, ...]
    splits: bool  # its parts may stand one to a line, with a comma after the last


class Folder:
    """Folds the logical lines of one file as wide as it is, with its own indentation and line ends."""

    def __init__(self, source: Source, width: int | None = None) -> None:
        self.newline = source.line_end(1)
        self.width = width or _width(source.lines)
        self._lines = source.lines
        self._unit = ""

    @property
    def unit(self) -> str:
        """Return one step of the file's indentation."""
        if not self._unit:
            found = (line[: len(line) - len(line.lstrip(" \t"))] for line in self._lines if line.strip())
            self._unit = min((indent for indent in found if indent), key=len, default="    ")
            self._unit = "\t" if "\t" in self._unit else "    " if len(self._unit) > 8 else self._unit
        return self._unit

    def fold(self, new: str, old: str) -> str:
        """Return the new text of a logical line, with the lines folded that are too long and longer than any before."""
        if all(len(line) <= self.width // 2 or self._fits(line) for line in new.split("\n")):
            return new
        longest = max(map(_columns, old.splitlines()), default=0)
        pieces = []
        brackets = _brackets(new)
        for number, line in enumerate(new.splitlines(keepends=True), 1):
            plain = line.rstrip("\r\n")
            keep = self._fits(plain) or _columns(plain) <= longest
            pieces.append(line if keep else self._fold(plain, brackets.get(number, [])) + line[len(plain) :])
        return "".join(pieces)

    def _fits(self, line: str) -> bool:
        return _columns(line) <= self.width

    def _fold(self, line: str, brackets: list[_Bracket]) -> str:
        indent = line[: len(line) - len(line.lstrip(" \t\f"))]
        brackets = [pair for pair in brackets if self._helps(line, pair, indent)]
        if not brackets:
            return line
        top = min(bracket.depth for bracket in brackets)
        widest = max((pair for pair in brackets if pair.depth == top), key=lambda pair: pair.end - pair.start)
        inner = indent + self.unit
        head, body, tail = line[: widest.start + 1], line[widest.start + 1 : widest.end], line[widest.end :]
        if self._fits(inner + body.strip()):
            lines = [inner + body.strip()]
        elif widest.commas and widest.splits:
            cuts = [widest.start, *widest.commas, widest.end]
            parts = [line[left + 1 : right].strip() for left, right in pairwise(cuts)]
            lines = [f"{inner}{part}," for part in parts if part]
        else:
            lines = [inner + body.strip()]
        lines = [row if self._fits(row) else self._fold(row, _brackets(row).get(1, [])) for row in lines]
        return self.newline.join([head.rstrip(), *lines, indent + tail])

    def _helps(self, line: str, pair: _Bracket, indent: str) -> bool:
        """Whether a line is too long because of a pair of brackets, or what follows them fits on a line of its own."""
        is_empty = not line[pair.start + 1 : pair.end].strip()
        return not is_empty and (self._fits(indent + line[pair.end :]) or not self._fits(line[: pair.end + 1]))


def _columns(line: str) -> int:
    return len(line.expandtabs(_TAB))


def _width(lines: list[str]) -> int:
    """Return how wide a file is: its longest line, but for outliers."""
    lengths = sorted(_columns(line.rstrip()) for line in lines)
    longest = lengths[len(lengths) - 1 - len(lengths) // _OUTLIERS] if lengths else 0
    return min(max(longest, SHORTEST), LONGEST)


def _brackets(text: str) -> dict[int, list[_Bracket]]:
    """Return the pairs of brackets that open and close on one line, by the number of the line."""
    found: dict[int, list[_Bracket]] = {}
    stack: list[tuple[tokenize.TokenInfo, list[int], list[str]]] = []
    lambdas: list[int] = []  # the depths of those whose parameters are not over
    for token in _tokens(text):
        if token.string in _OPEN and token.type == tokenize.OP:
            stack.append((token, [], []))
        elif token.string in _CLOSE and token.type == tokenize.OP and stack:
            opened, commas, words = stack.pop()
            if opened.start[0] == token.start[0]:
                splits = not {"for", "*", "**"} & set(words)
                pair = _Bracket(len(stack), opened.start[1], token.start[1], tuple(commas), splits)
                found.setdefault(token.start[0], []).append(pair)
        elif stack:
            if lambdas[-1:] != [len(stack)]:
                stack[-1][2].append(token.string)
            if token.string == "lambda":
                lambdas.append(len(stack))
            elif token.string == ":" and lambdas[-1:] == [len(stack)]:
                lambdas.pop()
            elif token.string == "," and lambdas[-1:] != [len(stack)]:
                stack[-1][1].append(token.start[1])
    return found


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    """Iterate over the tokens of a piece of a file, as far as it goes; those inside of f-strings left out."""
    inside = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            name = tokenize.tok_name[token.type]
            inside += name.endswith("STRING_START")
            if not inside:
                yield token
            inside -= name.endswith("STRING_END")
    except (tokenize.TokenError, SyntaxError):
        return  # the rest of the logical line is not part of the text
