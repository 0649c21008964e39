"""Patterns of .gitignore files: which paths of a tree they leave out, read as git reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_STARS = {"**/": "(?:.*/)?", "/**": "/.+", "/**/": "/(?:.*/)?", "**": "[^/]*", "*": "[^/]*", "?": "[^/]"}
_TOKEN = re.compile(
    r"(?P<start>^\*\*/)|(?P<end>/\*\*$)|(?P<between>/\*\*/)|(?P<star>\*+|\?)"
    r"|\[(?P<negated>[!^]?)(?P<set>(?:\]|\[:\w+:\]|\\.|[^]\\])(?:\[:\w+:\]|\\.|[^]\\])*)\]"
    r"|\\(?P<escaped>.)|(?P<other>[^\[\\])"
)
_IN_SET = re.compile(r"\[:(?P<named>\w+):\]|(?P<first>\\.|.)(?:-(?P<last>\\.|.))?", re.DOTALL)
_CLASSES = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \\t", "digit": "0-9", "lower": "a-z", "space": "\\s",
    "upper": "A-Z", "xdigit": "0-9a-fA-F", "punct": "!-\\/:-@\\[-`{-~", "cntrl": "\\x00-\\x1f\\x7f",
}  # fmt: skip


@dataclass(frozen=True)
class Pattern:
    """One line of a .gitignore file."""

    path: re.Pattern[str]
    negated: bool
    folders_only: bool


@dataclass(frozen=True)
class Ignored:
    """The patterns of one file; paths are relative to the folder that they are written for, with slashes."""

    folder: str
    patterns: tuple[Pattern, ...]

    def decides(self, path: str, is_folder: bool) -> bool | None:
        """Return whether the last pattern that matches a path below `folder` leaves it out; None if none matches."""
        relative = path[len(self.folder.rstrip("/")) + 1 :]
        for pattern in reversed(self.patterns):
            if (is_folder or not pattern.folders_only) and pattern.path.fullmatch(relative):
                return not pattern.negated
        return None


def parse(folder: str, text: str) -> Ignored:
    """Read the text of a .gitignore file of a folder. Lines that no path can match are dropped, as git does."""
    return Ignored(folder, tuple(_patterns(text.removeprefix("\ufeff").split("\n"))))


def _patterns(lines: list[str]) -> Iterator[Pattern]:
    for line in lines:
        text = re.sub(r"(?<!\\)((?:\\\\)*) +$", r"\1", line.removesuffix("\r"))
        if not text or text.startswith("#"):
            continue
        negated = text.startswith("!")
        text = text[negated:]
        folders_only = text.endswith("/")
        text = text.removesuffix("/")
        anywhere = "/" not in text
        regex = _translated(text.removeprefix("/"))
        if regex:
            yield Pattern(re.compile(("(?:.*/)?" if anywhere else "") + regex, re.DOTALL), negated, folders_only)


def _translated(glob: str) -> str | None:
    """The regular expression of a pattern; None when git would find it malformed, so that nothing matches it."""
    parts: list[str] = []
    position = 0
    while position < len(glob):
        token = _TOKEN.match(glob, position)
        if not token:
            return None
        # A slash that ends "/**/" may begin the next "**/".
        position = token.end() - (token["between"] is not None and glob.startswith("**", token.end()))
        parts.append(_part(token))
    return "".join(parts)


def _part(token: re.Match[str]) -> str:
    if token["set"] is not None:
        inside = _IN_SET.sub(_in_set, token["set"])
        return f"(?!/)[{'^' if token['negated'] else ''}{inside}]"
    if token["star"]:
        return _STARS["?" if token["star"] == "?" else "*"]
    if token["escaped"] or token["other"]:
        return re.escape(token["escaped"] or token["other"])
    return _STARS[token[0]]


def _in_set(part: re.Match[str]) -> str:
    if part["named"]:
        return _CLASSES.get(part["named"], "")
    first, last = ((part[end] or "").removeprefix("\\") for end in ("first", "last"))
    if last and first <= last:
        return f"{re.escape(first)}-{re.escape(last)}"
    return re.escape(first)  # of a range that runs backwards git takes the first letter
