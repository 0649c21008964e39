"""The values of the old API that the points-to analysis carries through a program."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass

from migrate.python.values import Plain, Token, Value


@dataclass(frozen=True)
class Symbol:
    """A name that an old module exports, as it is spelled; "" for the module itself, which is of a package."""

    name: str
    package: str = ""


@dataclass(frozen=True)
class Handle:
    """An endpoint, peer, device, ..."""

    kind: str
    origin: Hashable


@dataclass(frozen=True)
class Method:
    """A method of a handle, not yet called; function: its proper C name, or __enter__ and the like."""

    handle: Handle
    function: str


@dataclass(frozen=True)
class Code:
    """The result code of a call of a flat function, or (`node` a str) the code that an exception carries."""

    node: ast.expr | str


@dataclass(frozen=True)
class Failure:
    """An exception of an old error class; "" for what is handled where no except clause names its class."""

    name: str


@dataclass(frozen=True)
class Text:
    """The text of an exception of an old error class, or what is made of it."""

    name: str


@dataclass(frozen=True)
class Modern:
    """comch_next, or anything that comes from it: certainly nothing old. name: of what its user knows more of."""

    name: str = ""


@dataclass(frozen=True)
class Data:
    """The bytes of a message that was received."""


def is_handle(value: Value) -> bool:
    """Whether a value is a handle."""
    return isinstance(value, Token) and isinstance(value.key, Handle)


def handles_among(values: Iterable[Value]) -> list[Handle]:
    """Return the handles among some values, those of bound methods too."""
    found: list[Handle] = []
    for value in values:
        if isinstance(value, Token):
            if isinstance(value.key, Handle):
                found.append(value.key)
            elif isinstance(value.key, Method):
                found.append(value.key.handle)
    return found


def symbols(values: Iterable[Value]) -> Iterator[Symbol]:
    """Yield the names of the old module among some values."""
    return (value.key for value in values if isinstance(value, Token) and isinstance(value.key, Symbol))


def modules(values: Iterable[Value]) -> list[Token]:
    """Return the old modules among some values."""
    tokens = (value for value in values if isinstance(value, Token))
    return [token for token in tokens if isinstance(token.key, Symbol) and not token.key.name]


def are_modules(values: frozenset[Value]) -> bool:
    """Whether values are old modules, or None."""
    return values - {Plain.NONE} == set(modules(values))


def has_symbol(values: Iterable[Value]) -> bool:
    """Whether a name of the old module is among some values."""
    return any(isinstance(value, Token) and isinstance(value.key, Symbol) for value in values)
