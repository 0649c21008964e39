"""Type comments as nodes of their own: the syntax tree leaves them out."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from contextlib import suppress

MARK = "# type:"


class TypeComment(ast.Constant):
    """A comment such as `# type: (int) -> str`, from its hash on; `value` is what stands behind the mark."""

    def parsed(self) -> ast.AST | None:
        """Parse the type, or the types of a function; None for what is neither."""
        return parsed_type(str(self.value))


def parsed_type(text: str) -> ast.AST | None:
    """Parse a type, or the types of a function: `(int) -> str`; None for what is neither."""
    for mode in ("eval", "func_type"):
        with suppress(SyntaxError):
            return ast.parse(text, mode=mode)
    return None


def type_comments(text: str) -> Iterator[TypeComment]:
    """Yield every type comment of a file that can be parsed, in the order of the text."""
    if MARK not in text:
        return
    for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
        value = token.string.removeprefix(MARK).strip()
        if token.type == tokenize.COMMENT and token.string.startswith(MARK) and not value.startswith("ignore"):
            before, comment = token.line[: token.start[1]].encode(), token.string.encode()
            line, column = token.start[0], len(before)
            yield TypeComment(
                value, lineno=line, col_offset=column, end_lineno=line, end_col_offset=column + len(comment)
            )
