"""C types as programs write them for cffi: what a value of the type is in the flat program."""

from __future__ import annotations

import re
from typing import NamedTuple

from migrate.bindings.tokens import Shape
from migrate.old_api._tables import FUNCTIONS, STRUCTS
from migrate.old_api.vocabulary import KINDS

_WIDTHS = (8, 16, 32, 64)
NUMBERS = frozenset({f"{sign}int{width}_t" for sign in ("", "u") for width in _WIDTHS})
NUMBERS |= {"size_t", "ssize_t", "intptr_t", "uintptr_t", "int", "long", "short"}  # True and False are not numbers
BYTES = frozenset({"char", "uint8_t", "int8_t", "void"})
_FILLED = {ctype for _, rows in FUNCTIONS.values() for _, direction, ctype in rows if direction == "out"}
_ARRAY = re.compile(r"\[([^\]]*)\]\s*$")
_WORDS = frozenset({"const", "struct", "enum", "unsigned", "signed", "volatile"})


class CType(NamedTuple):
    """A type: its name, how many stars it has, and the text between the brackets of an array (None for no array)."""

    name: str
    stars: int
    length: str | None


def ctype(text: str) -> CType:
    """Take the text of a type apart."""
    array = _ARRAY.search(text)
    rest = text[: array.start()] if array else text
    words = rest.replace("*", " ").split()
    named = [word for word in words if word not in _WORDS]
    name = named[0] if len(named) == 1 else "int" if not named and words else " ".join(named)
    return CType(name, rest.count("*"), array.group(1).strip() if array else None)


def made(text: str) -> tuple[Shape, str] | None:
    """What `ffi.new` makes of a type: the shape, and what it holds; None for a type of the program's own."""
    name, stars, length = ctype(text)
    if name in KINDS or name == "void":
        depth = stars if length is None else stars + (length == "1")
        kinds = {2: "handle", 3: "list"}
        single = length is None or length == "1"
        return (Shape.CELL, kinds[depth]) if single and depth in kinds else None
    if name in STRUCTS and (stars, length) in ((1, None), (0, "1")):
        return of_struct(name)
    if name in BYTES and stars == 0 and length is not None:
        return Shape.BUFFER, "bytes"
    is_number = name in NUMBERS or name.startswith("doca_") or (name == "char" and "char" not in text.split())
    if is_number and (stars, length) in ((1, None), (0, "1")):
        return Shape.CELL, "number"
    return None


def is_of_chars(kind: str) -> bool:
    """Whether cffi shows what an array or a pointer of a type has as bytes; as numbers if it is one of these."""
    words = _words(kind)
    return "char" in words and words.isdisjoint({"signed", "unsigned"})


def unpacked(kind: str) -> str:
    """What cffi unpacks an array or a pointer of a type of single bytes to: "bytes", "signed" or "unsigned" numbers."""
    if is_of_chars(kind):
        return "bytes"
    return "signed" if {"signed", "int8_t"} & _words(kind) else "unsigned"


def _words(kind: str) -> set[str]:
    return set(_ARRAY.sub("", kind).replace("*", " ").split())


def of_struct(name: str) -> tuple[Shape, str]:
    """What a struct becomes: an object, in a cell where functions fill it."""
    return Shape.CELL if f"struct {name} *" in _FILLED else Shape.OBJECT, "struct"
