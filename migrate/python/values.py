"""Which values an expression can have, over all files of a project: a points-to analysis of its own language.

It has no order of statements: a variable, a field of a class or an element of a container has every value that anything
in the project stores there. What the analysis cannot follow is UNKNOWN, and what goes where it cannot follow is a sink.
Values of libraries that somebody else knows (Knowledge) pass through it as opaque Tokens.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeAlias


class Plain(Enum):
    """Values that need no more than their kind."""

    NONE = "None"
    OTHER = "certainly no token: a literal, a number, text, what the standard library makes by itself"
    UNKNOWN = "could be anything, a token that went to a sink as well"


@dataclass(frozen=True)
class Token:
    """A value of the Knowledge's own; equal keys are the same value."""

    key: Hashable


@dataclass(frozen=True)
class Function:
    """A function or lambda of the project."""

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


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
    """A function with its first arguments given: a method of an instance or token, a partial."""

    function: Value
    arguments: tuple[Value, ...]


@dataclass(frozen=True)
class Module:
    """A module, of the project or not, by its dotted name; `doca_cc` and the like are the Knowledge's tokens."""

    name: str


@dataclass(frozen=True)
class External:
    """A function, class or object of a module outside of the project, by its dotted name (`threading.Thread`)."""

    name: str


@dataclass(frozen=True)
class Collection:
    """A tuple, list, dict, set, queue or iterator, by the node that makes it."""

    node: ast.AST


@dataclass(frozen=True)
class ListOf:
    """What a Knowledge gives for a list of its values."""

    values: frozenset[Value]


Value: TypeAlias = ListOf | Plain | Token | Function | Class | Instance | Bound | Module | External | Collection


@dataclass(frozen=True)
class Arguments:
    """The values that a call gives: positional, by keyword, and whether a star hides some."""

    positional: Sequence[frozenset[Value]]
    keywords: Mapping[str, frozenset[Value]]
    starred: bool = False


class Knowledge(Protocol):
    """What is known of libraries outside of the project. Every answer is None for 'not mine'."""

    def module(self, name: str) -> Token | None:
        """The token of a module."""

    def attribute(self, token: Token, name: str) -> Iterable[Value] | None:
        """What reading an attribute of a token gives."""

    def call(self, token: Token, node: ast.Call, arguments: Arguments) -> Iterable[Value | tuple[Value, ...]] | None:
        """What calling a token gives; a tuple is a tuple of the program."""

    def caught(self, token: Token) -> Iterable[Value] | None:
        """What `except <token> as name` binds; of a tuple of classes each is asked."""

    def parameter(self, node: ast.arg) -> Iterable[Value] | None:
        """What a parameter holds that somebody unseen may fill, besides UNKNOWN: asked where callers are unseen."""

    def exports(self, token: Token) -> Mapping[str, Iterable[Value]]:
        """Every name that a star import of a module token binds."""

    def names(self, annotation: str) -> Iterable[Value] | None:
        """Reserved for what an annotation given as text stands for."""
