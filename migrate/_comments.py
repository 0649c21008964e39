"""Coded comments: one above each logical line that keeps an old reference, and none where nothing is kept."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

from migrate import _codes
from migrate._source import Source

OWN = re.compile(r"# (CCM\d{3}): .*\(python -m migrate explain \1\)")
# When one line has several refusals, the comment names the one that says most.
_GENERAL = ("CCM030", "CCM003", "CCM002")


class Lines:
    """The logical lines of a file: for every physical line the one where its logical line begins."""

    def __init__(self, source: Source) -> None:
        self.first: dict[int, int] = {}
        self.own: dict[int, str] = {}  # line of a coded comment -> its code
        self.comments: set[int] = set()  # lines that hold a comment and nothing else
        begin = 0
        for token in tokenize.generate_tokens(io.StringIO(source.text, newline="").readline):
            if token.type == tokenize.COMMENT and not begin:
                self.comments.add(token.start[0])
                match = OWN.fullmatch(token.string.rstrip())
                if match:
                    self.own[token.start[0]] = match.group(1)
            elif token.type == tokenize.NEWLINE:
                for line in range(begin or token.start[0], token.end[0] + 1):
                    self.first[line] = begin or token.start[0]
                begin = 0
            elif token.type not in (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT):
                begin = begin or token.start[0]

    def marked(self, code: str) -> set[int]:
        """The physical lines whose logical line stands under a comment with a code."""
        return {line for line, first in self.first.items() if self.above(first, code)}

    def above(self, line: int, code: str) -> int:
        """The line of a comment with a code right above a line; 0 if there is none."""
        line -= 1
        while line in self.comments and self.own.get(line) != code:
            line -= 1
        return line if line in self.comments else 0


def code_for(refusals: list[str]) -> str:
    """The code that the comment of a line shows."""
    return min(refusals, key=lambda code: (_GENERAL.index(code) + 1 if code in _GENERAL else 0, code))


def changes(source: Source, lines: Lines, wanted: dict[int, str]) -> Iterator[tuple[int, int, str]]:
    """Comments to be added and to be taken away, as (start, end, new text)."""
    standing: set[int] = set()
    for line, code in sorted(wanted.items()):
        above = lines.above(line, code)
        if above:
            standing.add(above)
        else:
            start = source.line_start(line)
            yield start, start, source.indentation(line) + _codes.comment(code) + source.line_end(line)
    for line in lines.own.keys() - standing:
        start = source.line_start(line)
        yield start, start + len(source.lines[line - 1]), ""
