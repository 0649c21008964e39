"""Whole names of doca_cc in a text, Python or C, comments included: each is replaced by its successor."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

from migrate.successors.names import NEW
from migrate.text.pieces import Change

_WORD = re.compile(
    r"(?<!\w)(?:doca_cc_\w+|DOCA_CC_\w+|libdoca_cc(?!\w)|doca_cc(?=\.h\b)|-ldoca_cc(?!\w)"
    r"|(?<!-)doca-cc(?![\w-]))"
)
_LIBRARY = re.compile(r"(?<!\w)(?:libdoca_cc|-ldoca_cc|doca-cc)(?!\w)")
_BEGINNING = re.compile(r"(?<!\w)doca_cc_(?!\w)|(?<!\w)([\"'])doca_cc\1")
_OTHERS = {"libdoca_cc": "libdoca_comch", "doca_cc": "doca_comch", "-ldoca_cc": "-ldoca_comch", "doca-cc": "doca-comch"}
_SUCCESSORS = {**NEW, **_OTHERS}
_OF_GENERATION_3 = re.compile(r"(?<!\w)(?:lib)?doca_comch(?!\w)|(?<!\w)doca_comch_\w+")


def changes(text: str) -> Iterator[Change]:
    """Yield the changes of the names in a text."""
    for match in _WORD.finditer(text):
        if new := _SUCCESSORS.get(match.group()):
            yield Change(*match.span(), new)


def is_old(text: str) -> bool:
    """Whether a text names something of doca_cc, or the beginning of such names."""
    return next(changes(text), None) is not None or bool(_BEGINNING.search(text))


def named(text: str) -> dict[str, int]:
    """Return each whole name of doca_cc in a text, and where it stands first."""
    found: dict[str, int] = {}
    for match in _WORD.finditer(text):
        if match.group() in NEW:
            found.setdefault(match.group(), match.start())
    return found


def names_library(text: str) -> bool:
    """Whether a text names the old library, or its pkg-config module."""
    return bool(_LIBRARY.search(text))


def is_modern(text: str) -> bool:
    """Whether a text names the new library already."""
    return bool(_OF_GENERATION_3.search(text))


def without_comments(text: str) -> str:
    """Return a Python text with blanks in the place of its comments."""
    lines = text.splitlines(keepends=True)
    try:
        tokens = [*tokenize.generate_tokens(io.StringIO(text, newline="").readline)]
    except (tokenize.TokenError, SyntaxError):
        return text
    for token in tokens:
        if token.type == tokenize.COMMENT and token.start[0] <= len(lines):
            line, (start, end) = lines[token.start[0] - 1], (token.start[1], token.end[1])
            lines[token.start[0] - 1] = line[:start] + " " * (end - start) + line[end:]
    return "".join(lines)
