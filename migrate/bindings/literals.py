"""The characters of a string in the text of a file, so that some of them can go."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from migrate.python.source import Source
from migrate.text.pieces import Change

_OPENING = re.compile(r"([A-Za-z]*)(\"\"\"|'''|\"|')")
_TO_LINE_END = re.compile(r"[ \t]*(?:#[^\r\n]*)?\r?\n")
_PLAIN = re.compile(r"\r\n|.", re.DOTALL)
_CONTINUED = re.compile(r"\\\r?\n")
_ESCAPE = re.compile(r"\\(?:\r\n|[0-7]{1,3}|x..|u.{4}|U.{8}|N\{[^}]*\}|.)|\r\n|.", re.DOTALL)


class _Piece(NamedTuple):
    """One of the literals that Python joins; characters: where each character of its value is written."""

    start: int
    end: int
    characters: list[tuple[int, int]]


class Literal:
    """A string as it is written: one literal, or several that Python joins."""

    def __init__(self, source: Source, node: ast.Constant) -> None:
        self.value = str(node.value)
        self._start, self._end = source.span(node)
        self._text = source.text
        self._pieces = list(self._read())

    @property
    def is_understood(self) -> bool:
        """Whether each character of the value is known by its place."""
        return sum(len(piece.characters) for piece in self._pieces) == len(self.value)

    def _read(self) -> Iterator[_Piece]:
        shown = self._text[self._start : self._end]
        starts = [0, *accumulate(map(len, io.StringIO(shown, newline="")))]
        for token in tokenize.generate_tokens(io.StringIO(f"({shown})", newline="").readline):
            if token.type == tokenize.STRING:
                (line, column), opening = token.start, _OPENING.match(token.string)
                assert opening is not None
                start = self._start + starts[line - 1] + column - (line == 1)  # behind the bracket
                is_raw = "r" in opening.group(1).lower()
                first, last = opening.end(), len(token.string) - len(opening.group(2))
                yield _Piece(start, start + len(token.string), list(self._characters(start, first, last, is_raw)))

    def _characters(self, start: int, first: int, last: int, is_raw: bool) -> Iterator[tuple[int, int]]:
        at = start + first
        while at < start + last:
            match = (_PLAIN if is_raw else _ESCAPE).match(self._text, at)
            assert match is not None
            if is_raw or not _CONTINUED.fullmatch(match.group()):
                yield match.span()
            at = match.end()

    def without(self, gone: frozenset[int]) -> Iterator[Change]:
        """Yield the changes that take characters of the value away; a literal that is empty then goes, too."""
        at = 0
        for piece in self._pieces:
            places = range(at, at + len(piece.characters))
            at = places.stop
            if places and gone.issuperset(places) and len(self._pieces) > 1:
                yield Change(*self._room(piece), "")
                continue
            spans = [span for place, span in zip(places, piece.characters, strict=True) if place in gone]
            starts = {start for start, _ in spans} - {end for _, end in spans}
            ends = {end for _, end in spans} - {start for start, _ in spans}
            yield from (Change(start, end, "") for start, end in zip(sorted(starts), sorted(ends), strict=True))

    def _room(self, piece: _Piece) -> tuple[int, int]:
        """Return what goes with one of several literals: its line, or the blank that parts it from another."""
        before, after = self._text[self._start : piece.start], self._text[piece.end : self._end]
        line_end = _TO_LINE_END.match(after)
        line_start = self._text.rfind("\n", 0, piece.start) + 1
        if line_end and not self._text[line_start : piece.start].strip():
            return line_start, piece.end + line_end.end()
        if after:
            return piece.start, piece.end + len(after) - len(after.lstrip())
        blank = len(before) - len(before.rstrip())
        return piece.start - (0 if "#" in before.rpartition("\n")[0].rpartition("\n")[2] else blank), piece.end
