"""A text of C declarations, and what of it other libraries need when the old ones are gone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

_COMMENT = r"/\*.*?\*/|//[^\n]*"
_QUOTED = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
_DIRECTIVE = r"^[ \t]*\#(?:\\\n|[^\n])*"
_MARK = re.compile(rf"{_COMMENT}|{_QUOTED}|{_DIRECTIVE}|[(\[{{)\]}};]", re.DOTALL | re.MULTILINE)
_LINE_END = re.compile(rf"[ \t]*(?:{_COMMENT}|[ \t])*(?:\n|\Z)")
COMMENTS = re.compile(_COMMENT, re.DOTALL)
_BLANK_LINES = re.compile(r"\s*\n")
_WORD = re.compile(r"[A-Za-z_]\w*")
_DEFINE = re.compile(r"\s*#\s*define\s+(\w+)")
_TAG = re.compile(r"\b(?:struct|union|enum)\s+(\w+)\s*(?=\{|$)")
_ENUM = re.compile(r"\benum\s*\w*\s*\{([^{}]*)\}")
_BODY = re.compile(r"\{[^{}]*\}")
_POINTER = re.compile(r"\(\s*\*\s*(\w+)\s*(?:\[[^\]]*\]\s*)?\)\s*\(")
_FUNCTION = re.compile(r"(\w+)\s*\(")
_LAST_NAME = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?:=.*)?$", re.DOTALL)
_OF_DOCA = re.compile(r"doca_", re.IGNORECASE)


class Declaration(NamedTuple):
    """One declaration or `#define`, with the comments before and beside it. function: the name, if it is one."""

    start: int
    end: int
    words: frozenset[str]
    defined: frozenset[str]
    function: str

    @property
    def is_type(self) -> bool:
        """Whether it defines a type or a constant: what other declarations may need."""
        return not self.function


def declarations(text: str) -> list[Declaration]:
    """Return the declarations of a text, in order; what stands behind the last one is of none."""
    found: list[Declaration] = []
    blank = _BLANK_LINES.match(text)
    start, depth = blank.end() if blank else 0, 0
    for mark in _MARK.finditer(text):
        piece = mark.group()
        depth += (piece in "([{") - (piece in ")]}")
        is_directive = piece.lstrip().startswith("#")
        if depth == 0 and (piece == ";" or is_directive):
            beside = _LINE_END.match(text, mark.end())
            end = beside.end() if beside else mark.end()
            found.append(_declaration(text, start, end))
            start = end
    return found


def _declaration(text: str, start: int, end: int) -> Declaration:
    code = COMMENTS.sub(" ", text[start:end]).strip().removesuffix(";").rstrip()
    words = frozenset(_WORD.findall(code))
    if define := _DEFINE.match(code):
        return Declaration(start, end, words, frozenset({define.group(1)}), "")
    bare = code
    while _BODY.search(bare):
        bare = _BODY.sub(" ", bare)
    constants = (part.split("=")[0].strip() for body in _ENUM.findall(code) for part in body.split(","))
    defined = {*_TAG.findall(code), *filter(None, constants)}
    function = ""
    is_typedef = bare.startswith("typedef")
    for declarator in _split(bare):
        name = _POINTER.search(declarator) or _FUNCTION.search(declarator) or _LAST_NAME.search(declarator)
        is_tag_alone = not is_typedef and re.fullmatch(r"(?:struct|union|enum)\s*\w*", declarator.strip())
        if name and not is_tag_alone:
            defined.add(name.group(1))
            function = function or ("" if is_typedef or "(" not in declarator else name.group(1))
    return Declaration(start, end, words, frozenset(defined), function)


def _split(code: str) -> Iterator[str]:
    """Yield the declarators of a declaration, the type with the first."""
    depth, start = 0, 0
    for at, character in enumerate(code):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            yield code[start:at]
            start = at + 1
    yield code[start:]


def needless(
    found: Sequence[Declaration], is_old: Callable[[str], bool], needed: Iterable[str]
) -> frozenset[Declaration] | None:
    """Return the declarations that only the old libraries need; None where what stays needs something of theirs.

    is_old: whether a function is one of theirs. needed: words of C that the program needs besides.
    """
    functions = [each for each in found if is_old(each.function)]
    types = [each for each in found if each.is_type]
    of_functions = _reached(types, [word for each in functions for word in each.words])
    old = {*functions, *of_functions, *(each for each in types if any(map(_OF_DOCA.match, each.words)))}
    others = [each for each in found if each not in old]
    words = {*needed, *(word for each in others for word in each.words)}
    kept = _reached(types, words)
    words.update(word for each in kept for word in each.words)
    if any(map(_OF_DOCA.match, words)) or any(len(each.defined) > 1 for each in functions):
        return None
    return frozenset(old) - kept


def _reached(types: Sequence[Declaration], words: Iterable[str]) -> set[Declaration]:
    """Return the types that some words name, and those that these name in turn."""
    found: set[Declaration] = set()
    border = set(words)
    while border:
        more = {each for each in types if each not in found and not each.defined.isdisjoint(border)}
        found |= more
        border = {word for each in more for word in each.words}
    return found
