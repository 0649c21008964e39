"""The old API as the points-to analysis meets it: its names, its handles and where they come from.

A handle's origin is the call that made it, or the parameter that brings it from callers nobody sees. What a handle
gives has its origin: the peers of an endpoint and the device opened from a list change together with it.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from migrate.old_api.vocabulary import Function, Vocabulary
from migrate.python.values import Arguments, External, Given, ListOf, Plain, Token, Value

MODERN = "comch_next"
CAUGHT = "the endpoint of a caught exception"  # an origin that stands for all endpoints


@dataclass(frozen=True)
class Symbol:
    """A name that the old module exports, as it is spelled; "" for the module itself."""

    name: str


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
    """comch_next, or anything that comes from it: certainly nothing old."""


@dataclass(frozen=True)
class Data:
    """The bytes of a message that was received."""


# Names of methods that other libraries' objects have, too; every other one is the old API's alone.
COMMON = frozenset({"listen", "connect", "sendto", "recvfrom", "disconnect", "destroy", "open", "close", "create"})
COMMON |= {"get_device", "set_device", "get_iface_name", "get_name", "representors", "update_info"}
COMMON |= {"get_user_data", "set_user_data", "set_level_lower_limit", "set_level_upper_limit"}
# And those that comch_next's have, under the same names.
MODERN_TOO = frozenset({"is_equal_pci_addr", "open_representor"})
MODERN_TOO |= {f"rep_cap_is_filter_{which}_supported" for which in ("all", "net", "emulated")}

_SELF_METHODS = frozenset({"__enter__", "__aenter__"})
_ENDS = frozenset({"__exit__", "__aexit__"})
_OF_FAILURE = frozenset({"name", "errno", "length", "filename", "with_traceback", "add_note"})
_OF_FAILURE |= {"__class__", "__cause__", "__traceback__", "__notes__"}
_TEXTS = frozenset({"message", "strerror", "__str__", "__repr__"})
_DATA = "msg"


class OldApi:
    """The Knowledge of one generation. `reached`: what was called where, and the origins of the handles in that call.
    sites: these origins by the place of the call alone. strange: calls of functions of the objects spelling that may
    be given something else than their handle. sent: the error classes whose texts are given to calls.

    unseen: the kinds of the handles that parameters hold when callers that nobody sees fill them.
    """

    def __init__(self, vocabulary: Vocabulary, unseen: Mapping[ast.arg, str]) -> None:
        self.vocabulary = vocabulary
        self.unseen = unseen
        self.asked: set[ast.arg] = set()
        self.reached: dict[Symbol | Method, dict[ast.AST, set[Hashable]]] = {}
        self.sites: dict[ast.AST, set[Hashable]] = {}
        self.strange: set[ast.AST] = set()
        self.sent: set[str] = set()

    # ------------------------------------------------------------------ names

    def module(self, name: str) -> Token | None:
        """Return the token of an old module."""
        if name.partition(".")[0] == MODERN:
            return Token(Modern())
        return Token(Symbol("")) if self.vocabulary.module(name) is not None else None

    def attribute(self, token: Token, name: str) -> Iterable[Given] | None:
        """Return what reading an attribute of a token gives."""
        key = token.key
        if name == "*":
            return [Plain.UNKNOWN]
        if isinstance(key, Modern):
            return [token]
        if isinstance(key, Symbol):
            return self._of_symbol(key, name)
        if isinstance(key, Handle):
            function = self.vocabulary.methods.get((key.kind, name))
            special = name if name in _SELF_METHODS | _ENDS else ""
            found = function.name if function else special
            return [Token(Method(key, found))] if found else []  # an AttributeError gives nothing
        if isinstance(key, Failure):
            if name == "connection":
                return [Token(Handle("peer", CAUGHT)), Plain.NONE]
            return self._of_failure(key, name)
        return [token, Plain.OTHER] if isinstance(key, Text) else [Plain.OTHER]

    def _of_failure(self, failure: Failure, name: str) -> Iterable[Given] | None:
        text = Token(Text(failure.name))
        if name == "code":
            return [Token(Code(failure.name))]
        if name == "args":
            return [ListOf((text, Plain.OTHER))]
        if name == "exceptions":  # of the group that `except*` binds: errors of anywhere
            return [ListOf((*self.in_flight(),))]
        if name == "__context__":
            return [*self.in_flight(), Plain.NONE]
        return [text, Plain.OTHER] if name in _TEXTS else [Plain.OTHER] if name in _OF_FAILURE else None

    def _of_symbol(self, symbol: Symbol, name: str) -> Iterable[Given] | None:
        if not symbol.name:
            inside = name in self.vocabulary.submodules
            return [Token(Symbol("" if inside else name))] if inside or name in self.vocabulary.exports else None
        if symbol.name == "ErrorCode":
            return [Token(Symbol(name))] if name.isupper() else None
        kind = self.vocabulary.classes.get(symbol.name, "")
        function = self.vocabulary.methods.get((kind, name))
        return [Token(Symbol(f"{symbol.name}.{name}"))] if function else None

    def exports(self, token: Token) -> Mapping[str, Iterable[Given]]:
        """Return every name that a star import of an old module binds."""
        return {} if isinstance(token.key, Modern) else self._exports

    @cached_property
    def _exports(self) -> Mapping[str, Iterable[Given]]:
        return {name: [Token(Symbol(name))] for name in sorted(self.vocabulary.exports)}

    def caught(self, caught: Value) -> Sequence[Token] | None:
        """Return what an except clause binds for an old error class, or for a class of Python's own above those."""
        if isinstance(caught, External):
            extending = self.vocabulary.builtin_errors.get(caught.name.removeprefix("builtins."), ())
            return [Token(Failure(name)) for name in extending] or None
        key = caught.key if isinstance(caught, Token) else None
        is_error = isinstance(key, Symbol) and key.name in self.vocabulary.errors
        return [Token(Failure(key.name))] if is_error and isinstance(key, Symbol) else None

    def parameter(self, node: ast.arg) -> Iterable[Given] | None:
        """Return the handle that callers nobody sees pass for a parameter."""
        kind = self.unseen.get(node)
        if kind is None:
            return None
        self.asked.add(node)
        return [Token(Handle(kind, node))]

    def text(self, token: Token) -> Sequence[Token]:
        """Return the text of an error, for the error and for what is made of its text."""
        key = token.key
        return [Token(Text(key.name))] if isinstance(key, Failure) else [token] if isinstance(key, Text) else []

    def in_flight(self) -> Sequence[Token]:
        """Return an error of any class."""
        return [Token(Failure(""))]

    # ------------------------------------------------------------------ calls

    def function(self, key: Symbol | Method) -> tuple[Function | None, bool]:
        """Return the old function behind a token, and whether the spelling is flat."""
        if isinstance(key, Method):
            return self.vocabulary.flat.get(key.function) or self.vocabulary.by_method.get(key.function), False
        owner, dot, method = key.name.partition(".")
        if dot:
            return self.vocabulary.methods.get((self.vocabulary.classes[owner], method)), False
        if key.name in self.vocabulary.objects:
            return self.vocabulary.objects[key.name], False
        return self.vocabulary.flat.get(key.name), True

    def elements(self, token: Token) -> Iterable[Given] | None:
        """Return nothing for what cannot be iterated over; lists of handles are given as lists."""
        if isinstance(token.key, Text):
            return [token, Plain.OTHER]
        return [] if isinstance(token.key, Handle | Method | Code | Failure) else None

    def is_instance(self, token: Token, kind: Token) -> bool | None:
        """Return whether a handle is of the old class that another token is; None for what is no handle."""
        name = kind.key.name if isinstance(kind.key, Symbol) else ""
        return self.vocabulary.classes.get(name) == token.key.kind if isinstance(token.key, Handle) else None

    def enter(self, token: Token) -> Iterable[Given] | None:
        """Return what `with` binds: a device or representor itself."""
        if isinstance(token.key, Modern):
            return [token]
        return [token] if isinstance(token.key, Handle) else None

    def call(self, token: Token, node: ast.expr, arguments: Arguments) -> Iterable[Given] | None:
        """Return what calling a token gives."""
        key = token.key
        if isinstance(key, Symbol) and key.name in self.vocabulary.errors:
            return [Token(Failure(key.name))]
        if isinstance(key, Modern):
            return [token]
        if isinstance(key, Text):
            return [token, Plain.OTHER]  # a method that makes another text
        if not isinstance(key, Symbol | Method):
            return []  # a TypeError
        if isinstance(key, Method) and key.function in _SELF_METHODS | _ENDS:
            return [Token(key.handle)] if key.function in _SELF_METHODS else [Plain.OTHER]
        function, flat = self.function(key)
        if function is None:
            return [Plain.OTHER]
        if isinstance(key, Symbol) and not flat and function.receiver and not self._is_right(function, arguments):
            self.strange.add(node)
        origins = self._origins(key, function, node, arguments)
        self.reached.setdefault(key, {}).setdefault(node, set()).update(origins)
        self.sites.setdefault(node, set()).update(origins)
        return self._results(function, flat, node, origins)

    def _is_right(self, function: Function, arguments: Arguments) -> bool:
        """Whether a function of the module is certainly called with the handle that it takes."""
        given = [*arguments.positional[:1], *arguments.keywords.values(), arguments.hidden]
        keys = [getattr(value, "key", None) for value in given[0] - {Plain.UNKNOWN}]
        return all(isinstance(key, Handle) and key.kind == function.kinds[function.receiver] for key in keys)

    def _origins(
        self, key: Symbol | Method, function: Function, node: ast.expr, arguments: Arguments
    ) -> tuple[Hashable, ...]:
        """Return the origins of what a call takes and gives: the call itself, when it makes a handle of none."""
        given = [*arguments.positional, *arguments.keywords.values()]
        values = {value for values in given for value in values} | arguments.hidden
        self.sent |= {text.name for value in values if isinstance(text := getattr(value, "key", None), Text)}
        handles = {value.key for value in values if isinstance(value, Token) and isinstance(value.key, Handle)}
        if isinstance(key, Method):
            handles.add(key.handle)
        taken = {handle.origin: None for handle in handles if isinstance(handle, Handle)}
        unknown = Plain.UNKNOWN in values and not isinstance(key, Method)
        if function.gives and (not function.takes or arguments.starred or unknown):
            taken[node] = None
        return tuple(taken)

    def _results(self, function: Function, flat: bool, node: ast.expr, origins: Iterable[Hashable]) -> Iterator[Given]:
        """Give the code and the outputs of a flat call, or the outputs alone; None, too, where a flat call may fail."""
        names = function.results
        if not flat:  # lengths are not given: of what was received, and of a list
            lists = [name for name in names if function.kinds.get(name, "").endswith("[]")]
            names = tuple(lists or (name for name in names if name not in function.inputs))
        code: tuple[Given, ...] = (Token(Code(node)),) if flat and function.returns_code else ()
        for origin in origins if any(name in function.kinds for name in names) else (None,):
            values = (*code, *(_output(name, function.kinds.get(name, ""), origin) for name in names))
            yield values[0] if len(values) == 1 else values or Plain.NONE
        if code and names:
            yield (*code, *(Plain.NONE for _ in names))


def _output(name: str, kind: str, origin: Hashable) -> Given:
    if kind.endswith("[]"):
        return ListOf((Token(Handle(kind[:-2], origin)),))
    return Token(Handle(kind, origin)) if kind else Token(Data()) if name == _DATA else Plain.OTHER


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


def has_symbol(values: Iterable[Value]) -> bool:
    """Whether a name of the old module is among some values."""
    return any(isinstance(value, Token) and isinstance(value.key, Symbol) for value in values)
