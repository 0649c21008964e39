"""A Python file as bytes and as text: cookie, byte-order mark and line ends kept, positions made offsets."""

from __future__ import annotations

import ast
import codecs
import io
import re
import tokenize
import warnings
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate
from typing import TypeAlias

from migrate.python.control import Control
from migrate.python.scopes import Names

Located: TypeAlias = ast.expr | ast.stmt | ast.alias | ast.arg | ast.keyword | ast.excepthandler | ast.pattern

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


class Unreadable(Exception):
    """The bytes are not Python that this interpreter can parse; the message has the reason."""


class Source:
    """One file: `text` is the decoded text without the byte-order mark, `tree` its syntax tree."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        try:
            self.encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
            self.mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
            self.encoding = "utf-8" if self.mark else self.encoding
            self.text = data[len(self.mark) :].decode(self.encoding)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # "\d" in the program is its own affair
                self.tree = ast.parse(data, type_comments=False)
        except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError) as error:
            raise Unreadable(str(error) or type(error).__name__) from error
        self.lines: list[str] = [line for line in _LINE.findall(self.text) if line]
        self._starts = [0, *accumulate(map(len, self.lines))]
        self._is_ascii = self.text.isascii()

    @cached_property
    def names(self) -> Names:
        """The file's names, resolved when they are first asked for."""
        return Names(self.tree)

    @cached_property
    def control(self) -> Control:
        """The file's control flow, drawn when it is first asked for."""
        return Control(self.names)

    def encode(self, text: str) -> bytes:
        """Encode a changed text as the file is."""
        return self.mark + text.encode(self.encoding)

    def offset(self, line: int, column: int) -> int:
        """Return the offset in `text` of an ast position: line from 1, column in UTF-8 bytes."""
        if line > len(self.lines):
            return len(self.text)
        if not self._is_ascii:
            column = len(self.lines[line - 1].encode("utf-8")[:column].decode("utf-8", "ignore"))
        return self._starts[line - 1] + column

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line of an offset in `text`, from 1, and its column in characters."""
        line = bisect_right(self._starts, offset, 1, len(self.lines) or 1) - 1
        return line + 1, offset - self._starts[line]

    def span(self, node: Located) -> tuple[int, int]:
        """Return the start and end offset of a node."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or 0
        return self.offset(node.lineno, node.col_offset), self.offset(end_line, end_column)

    def slice(self, node: Located) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def line_start(self, line: int) -> int:
        """Return the offset of the first character of a line."""
        return self._starts[line - 1]

    def line_end(self, line: int) -> str:
        """Return the line end of a line; of a last line without one, that of the file."""
        for candidate in [*self.lines[line - 1 : line], *self.lines[:1]]:
            stripped = candidate.rstrip("\r\n")
            if len(stripped) < len(candidate):
                return candidate[len(stripped) :]
        return "\n"

    def indentation(self, line: int) -> str:
        """Return the white space at the beginning of a line."""
        content = self.lines[line - 1]
        return content[: len(content) - len(content.lstrip(" \t\f"))]

    def is_first(self, statement: ast.stmt) -> bool:
        """Whether nothing but white space stands before a statement on its line."""
        return not self.text[self.line_start(statement.lineno) : self.span(statement)[0]].strip(" \t\f")

    def is_alone(self, statement: ast.stmt) -> bool:
        """Whether a statement has its lines to itself, but for a comment."""
        last = statement.end_lineno or statement.lineno
        after = self.text[self.span(statement)[1] : self.line_start(last) + len(self.lines[last - 1])].strip()
        return self.is_first(statement) and (not after or after.startswith("#"))
