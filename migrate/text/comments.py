"""Comments of migrate's own: a coded one above a cause, and the pragmas that a program writes.

`# migrate: skip` leaves the references on its logical line alone; `# migrate: skip[CCM012]` leaves out what has that
code, and its comment. A pragma stands at the end of its line, or on a line of its own right above.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from migrate.outcome import Span
from migrate.python.source import Source
from migrate.text.pieces import Change, with_other_comment

_OWN = re.compile(r"# (CCM\d{3}): .*\(python -m migrate explain \1\)")
_PRAGMA = re.compile(r"#.*?\bmigrate: *skip(?:\[([A-Z0-9, ]*)\])?(?!\w)")
_SKIPPED = (tokenize.NL, tokenize.INDENT, tokenize.DEDENT)


@dataclass(frozen=True)
class Pragma:
    """A wish to leave a logical line alone; no codes means all of them."""

    line: int
    span: Span
    codes: frozenset[str]

    def covers(self, code: str) -> bool:
        """Whether it speaks of a code."""
        return not self.codes or code in self.codes


class Comments:
    """The comments of a file that mean something to migrate. Lines are physical ones, from 1."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.pragmas: dict[int, list[Pragma]] = {}  # by the first line of a logical line
        self._own: dict[int, str] = {}  # line of a coded comment -> its code
        self._lines: set[int] = set()  # lines that hold a comment and nothing else
        if "(python -m migrate explain CCM" in source.text or "migrate:" in source.text:
            self._read()

    def _read(self) -> None:
        begin, waiting = 0, list[tokenize.TokenInfo]()
        for token in tokenize.generate_tokens(io.StringIO(self.source.text, newline="").readline):
            if token.type == tokenize.COMMENT:
                if not begin:
                    self._note(token)
                waiting.append(token)
            elif token.type == tokenize.NEWLINE:
                for comment in waiting:
                    self._note_pragma(begin or token.start[0], comment)
                begin, waiting = 0, []
            elif token.type not in _SKIPPED:
                begin = begin or token.start[0]
            elif token.type == tokenize.NL and not begin and token.start[1] == 0:
                waiting = []  # a blank line

    def _note(self, token: tokenize.TokenInfo) -> None:
        self._lines.add(token.start[0])
        match = _OWN.fullmatch(token.string.rstrip())
        if match:
            self._own[token.start[0]] = match.group(1)

    def _note_pragma(self, line: int, token: tokenize.TokenInfo) -> None:
        match = _PRAGMA.match(token.string)
        if match:
            codes = frozenset(filter(None, re.split(r"[, ]+", match.group(1) or "")))
            span = Span(*token.start, *token.end)
            self.pragmas.setdefault(line, []).append(Pragma(line, span, codes))

    def changes(self, wanted: Mapping[int, str], comment: Callable[[str], str]) -> Iterator[Change]:
        """Iterate over the comments to add and to take away, so that those wanted stand, by logical line."""
        standing: set[int] = set()
        for line, code in sorted(wanted.items()):
            above = self._above(line, code)
            if above:
                standing.add(above)
            else:
                start = self.source.line_start(line)
                text = self.source.indentation(line) + comment(code) + self.source.line_end(line)
                yield Change(start, start, text)
        for line in sorted(self._own.keys() - standing):
            start = self.source.line_start(line)
            yield Change(start, start + len(self.source.lines[line - 1]), "")

    def _above(self, line: int, code: str) -> int:
        """Return the line of a comment with a code right above a line, 0 if there is none."""
        line -= 1
        while line in self._lines and self._own.get(line) != code:
            line -= 1
        return line if line in self._lines else 0


def with_comment(changes: list[Change], new: Change, old: str) -> list[Change]:
    """Change a comment: where it stands, or in the change that takes it along."""
    around = next((change for change in changes if change.start <= new.start < change.end), None)
    if around is None:
        return [*changes, new]
    taken = around._replace(text=with_other_comment(around.text, old, new.text))
    return [taken if change is around else change for change in changes]
