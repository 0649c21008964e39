"""The values that the points-to analysis distinguishes, and what it asks about libraries that others know."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import NamedTuple, Protocol, TypeAlias

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Plain(Enum):
    """Values that need no more than their kind."""

    NONE = "None"
    OTHER = "certainly no token: a literal, a number, text, what the standard library makes by itself"
    UNKNOWN = "could be anything, a token that went to a sink as well"

    __hash__ = object.__hash__  # as Enum's own, without a call


@dataclass(frozen=True)
class Token:
    """A value of the Knowledge's own; equal keys are the same value."""

    key: Hashable


@dataclass(frozen=True)
class Function:
    """A function or lambda of the project; `context` distinguishes closures of one definition."""

    node: FunctionNode
    context: Hashable = field(default=None, repr=False)


@dataclass(frozen=True)
class Class:
    """A class of the project."""

    node: ast.ClassDef


@dataclass(frozen=True)
class Instance:
    """An instance of a class of the project; all instances of a class are one."""

    node: ast.ClassDef


@dataclass(frozen=True)
class Bound:
    """A function with its first arguments given: a method of an instance, token or collection."""

    function: Value
    arguments: tuple[Value, ...]


@dataclass(frozen=True)
class Partial:
    """What functools.partial, operator.methodcaller and the like make, by the call that makes it."""

    node: ast.AST
    context: Hashable = field(default=None, repr=False)


@dataclass(frozen=True)
class Descriptor:
    """What a decorator such as property makes of a function: `kind` is the decorator's last name."""

    kind: str
    function: Value


@dataclass(frozen=True)
class Super:
    """super() in a method of a class, called on an instance or class."""

    node: ast.ClassDef
    receiver: Value


@dataclass(frozen=True)
class Module:
    """A module by its dotted name; `path` when it is a file or folder of the project."""

    name: str
    path: Path | None = None


@dataclass(frozen=True)
class External:
    """A function, class or object of a module outside of the project, by its dotted name (`threading.Thread`).

    A name that begins with a dot is a method of some object of the standard library (`.submit`).
    """

    name: str


@dataclass(frozen=True)
class Collection:
    """A tuple, list, dict, set, queue, iterator, generator, future or namespace, by the node that makes it.

    place: where in a value that the Knowledge gave, when that holds collections in collections.
    """

    node: ast.AST
    kind: str = field(default="list", compare=False)
    place: tuple[int | str, ...] = ()
    context: Hashable = field(default=None, repr=False)


Value: TypeAlias = (
    Plain | Token | Function | Class | Instance | Bound | Partial | Descriptor | Super | Module | External | Collection
)


@dataclass(frozen=True)
class ListOf:
    """Given by the Knowledge: a list of the program whose elements can have these values."""

    values: tuple[Given, ...]


@dataclass(frozen=True)
class Kept:
    """Given by the Knowledge: what a library was given to keep under a key."""

    key: Hashable


class CallBack(NamedTuple):
    """What a library calls later: functions, and the values of each argument."""

    functions: frozenset[Value]
    arguments: tuple[tuple[Given, ...], ...]


Given: TypeAlias = "Value | ListOf | Kept | tuple[frozenset[Given] | Given, ...]"


class Arguments(NamedTuple):
    """The values that a call gives: positional, by keyword, and whether a star hides some, and which.

    The arguments of a star whose length is known stand among the positional ones. most: how many of these there may be,
    those that a star hides, too.
    """

    positional: Sequence[frozenset[Value]]
    keywords: Mapping[str, frozenset[Value]]
    starred: bool = False
    hidden: frozenset[Value] = frozenset()
    most: float = 0


class Knowledge(Protocol):
    """What is known of libraries outside of the project. Every answer is None for 'not mine'.

    Where an answer is Given, a tuple is a tuple of the program (each item a value or a frozenset of them).
    """

    def module(self, name: str) -> Token | None:
        """The token of a module, by its full dotted name."""

    def attribute(self, token: Token, name: str) -> Iterable[Given] | None:
        """What reading an attribute of a token gives; `name` is "*" when the program computes it."""

    def call(self, token: Token, node: ast.expr, arguments: Arguments) -> Iterable[Given] | None:
        """What calling a token gives; called again when more is known of the arguments.

        node: the call, or a decorator, or the call that makes the library call back (Thread, submit, map).
        """

    def stores(self, token: Token) -> bool:
        """Whether calling a token gives the first item of its first argument, and puts the others in the rest.

        Each of these is a list, and has its item at 0.
        """

    def keeps(self, token: Token, arguments: Arguments) -> Iterable[tuple[Hashable, frozenset[Value]]]:
        """What calling a token gives the library to keep, by the keys under which it has that."""

    def calls_back(self, token: Token, arguments: Arguments) -> Iterable[CallBack]:
        """What the library calls after a call of a token."""

    def elements(self, token: Token) -> Iterable[Given] | None:
        """What iterating or indexing a token gives."""

    def sliced(self, token: Token) -> Iterable[Given]:
        """What a slice of a token gives."""

    def is_instance(self, token: Token, kind: Token) -> bool | None:
        """Whether a token is an instance of the class that another one is."""

    def enter(self, token: Token) -> Iterable[Given] | None:
        """What `with` binds when its context manager is the token."""

    def caught(self, caught: Value) -> Sequence[Token] | None:
        """What an except clause that names a token, or a class of Python's own, can bind beside that class's own."""

    def text(self, token: Token) -> Sequence[Token]:
        """The token of the text of a token; that of a text, and of what is made of it, is itself."""

    def added(self, token: Token, node: ast.AST) -> Sequence[Token]:
        """What adding something to a token gives; nothing if it is not a token."""

    def in_flight(self) -> Sequence[Token]:
        """What the exception that is being handled can be, where no except clause names its class."""

    def exports(self, token: Token) -> Mapping[str, Iterable[Given]]:
        """Every name that a star import of a module token binds."""
