"""The old API as the points-to analysis meets it: its names, its handles and where they come from.

A handle's origin is the call that made it, or the parameter that brings it from unknown callers. Handles that come from
a handle have its origin: the peers of an endpoint, and the device opened from a list, change together with it.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from migrate.facts import kept, modern_calls
from migrate.facts.tokens import Code, Data, Failure, Handle, Method, Modern, Symbol, Text
from migrate.old_api.generation_2 import NULLABLE
from migrate.old_api.spellings import objects
from migrate.old_api.vocabulary import Function, Vocabulary
from migrate.python.values import Arguments, CallBack, External, Given, ListOf, Plain, Token, Value

MODERN = "comch_next"
STORE = Modern("store")
UNRAISABLE = Modern("unraisable")
NAMED = Modern("named")
USER_DATA = Modern("user_data")  # what the program has put there, and what is in it
_GIVING_BACK = {UNRAISABLE: 0, NAMED: 1}  # a function of the program's -> where they are given it
_KNOWN = {modern.name: modern for modern in (STORE, *_GIVING_BACK, USER_DATA, *modern_calls.CALLING)}
CAUGHT = "the endpoint of a caught exception"  # an origin that stands for all endpoints


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
    sites: these origins by the place of the call alone. given_away: those of the handles that a call takes of what
    no rule is about. strange: calls of functions of the objects spelling that may
    be given something else than their handle. flagged: functions of that spelling that some call may give flags.
    sent: the error classes whose texts are given to calls.

    unseen: the kinds of the handles that parameters hold when unknown callers fill them.
    """

    def __init__(self, vocabulary: Vocabulary, unseen: Mapping[ast.arg, str]) -> None:
        self.vocabulary = vocabulary
        self.unseen = unseen
        self.asked: set[ast.arg] = set()
        self.reached: dict[Symbol | Method, dict[ast.AST, set[Hashable]]] = {}
        self.sites: dict[ast.AST, set[Hashable]] = {}
        self.given_away: dict[ast.AST, set[Hashable]] = {}
        self.strange: set[ast.AST] = set()
        self.flagged: set[Symbol | Method] = set()
        self.sent: set[str] = set()

    # ------------------------------------------------------------------ names

    def module(self, name: str) -> Token | None:
        """Return the token of an old module."""
        if name.partition(".")[0] == MODERN:
            return Token(Modern())
        package = self.vocabulary.package(name)
        return Token(Symbol("", package)) if package else None

    def attribute(self, token: Token, name: str) -> Iterable[Given] | None:
        """Return what reading an attribute of a token gives."""
        key = token.key
        if name == "*":
            return [Plain.UNKNOWN]
        if isinstance(key, Modern):
            if name in self.vocabulary.errors:
                return [Token(Modern(name))]
            return [Token(_KNOWN[name]) if name in _KNOWN else token]
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
            if inner := self.vocabulary.package_in(symbol.package, name):
                return [Token(Symbol("", inner))]
            return self.exports(Token(symbol)).get(name)
        if symbol.name == "ErrorCode":
            return [Token(Symbol(name))] if name.isupper() else None
        kind = self.vocabulary.classes.get(symbol.name, "")
        function = self.vocabulary.methods.get((kind, name))
        return [Token(Symbol(f"{symbol.name}.{name}"))] if function else None

    def exports(self, token: Token) -> Mapping[str, Iterable[Given]]:
        """Return every name that a star import of an old module binds."""
        return self._exports[token.key.package] if isinstance(token.key, Symbol) else {}

    @cached_property
    def _exports(self) -> Mapping[str, Mapping[str, Iterable[Given]]]:
        """The names of each package."""
        packages = {package: names for (package, rest), names in self.vocabulary.modules.items() if not rest}
        return {package: {name: [Token(Symbol(name))] for name in sorted(names)} for package, names in packages.items()}

    def caught(self, caught: Value) -> Sequence[Token] | None:
        """Return what an except clause binds for an error class of either library, or one of Python's own above those.

        The classes of both are the same: what catches an error of a call that stays old may be new already.
        """
        if isinstance(caught, External):
            extending = self.vocabulary.builtin_errors.get(caught.name.removeprefix("builtins."), ())
            return [Token(Failure(name)) for name in extending] or None
        key = caught.key if isinstance(caught, Token) else None
        name = key.name if isinstance(key, Symbol | Modern) else ""
        return [Token(Failure(name))] if name in self.vocabulary.errors else None

    def parameter(self, node: ast.arg) -> Iterable[Given] | None:
        """Return the handle that unknown callers pass for a parameter."""
        kind = self.unseen.get(node)
        if kind is None:
            return None
        self.asked.add(node)
        return [Token(Handle(kind, node))]

    def text(self, token: Token) -> Sequence[Token]:
        """Return the text of an error, for the error and for what is made of its text."""
        key = token.key
        return [Token(Text(key.name))] if isinstance(key, Failure) else [token] if isinstance(key, Text) else []

    def added(self, token: Token, node: ast.AST) -> Sequence[Token]:
        """Return nothing: no handle is added to."""
        return ()

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
        """Return nothing for what cannot be iterated over; lists of handles are given as lists.

        In what is of comch_next, but for what the program has put there, are objects of it.
        """
        if token.key == Modern():
            return [token]
        if isinstance(token.key, Text):
            return [token, Plain.OTHER]
        is_constant = isinstance(token.key, Symbol) and token.key.name in self.vocabulary.constants
        return [] if is_constant or isinstance(token.key, Handle | Method | Code | Failure) else None

    def sliced(self, token: Token) -> Iterable[Given]:
        """Return the token: a part of a text or of a message is one."""
        return [token]

    def is_instance(self, token: Token, kind: Token) -> bool | None:
        """Return whether a handle is of the old class that another token is; None if it is not a handle."""
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
            place = _GIVING_BACK.get(key)
            if place is not None and len(arguments.positional) > place:
                return [*arguments.positional[place]]
            return [modern_calls.result(key, arguments)]
        if isinstance(key, Text):
            return [token, Plain.OTHER]  # a method that makes another text
        if not isinstance(key, Symbol | Method):
            return []  # a TypeError
        if isinstance(key, Method) and key.function in _SELF_METHODS | _ENDS:
            return [Token(key.handle)] if key.function in _SELF_METHODS else [Plain.OTHER]
        function, flat = self.function(key)
        if function is None:
            self.given_away.setdefault(node, set()).update(handle.origin for handle in self._taken(key, arguments))
            return [Plain.OTHER]
        if isinstance(key, Symbol) and not flat and function.receiver and not self._is_right(function, arguments):
            self.strange.add(node)
        if not flat and objects.may_be_filled(function, "flags", arguments, is_bound=isinstance(key, Method)):
            self.flagged.add(key)
        origins = self._origins(key, function, node, arguments)
        self.reached.setdefault(key, {}).setdefault(node, set()).update(origins)
        self.sites.setdefault(node, set()).update(origins)
        misses = flat and not function.returns_code and not self._is_right(function, arguments)
        return self._results(function, flat, node, origins, misses)

    def stores(self, token: Token) -> bool:
        """Return whether a token is comch_next's `store`, which puts what a call gives into cells."""
        return token.key == STORE

    def keeps(self, token: Token, arguments: Arguments) -> Iterable[tuple[Hashable, frozenset[Value]]]:
        """Yield the user data that a call gives to a handle."""
        return kept.kept(*self._given(token, arguments))

    def calls_back(self, token: Token, arguments: Arguments) -> Iterable[CallBack]:
        """Yield what the library calls after a call, or comch_next."""
        if isinstance(token.key, Modern):
            return () if token.key in _GIVING_BACK else modern_calls.called_back(token.key, arguments)
        return kept.called_back(*self._given(token, arguments))

    def _given(
        self, token: Token, arguments: Arguments
    ) -> tuple[Function, Mapping[str, frozenset[Value]], Iterable[Hashable]]:
        """Return a function, what a call gives for its parameters, and the origins of the handles in that."""
        key = token.key
        function, flat = self.function(key) if isinstance(key, Symbol | Method) else (None, False)
        if function is None or not function.is_later:
            return Function("", ()), {}, ()
        names = list(function.inputs) if flat else [parameter.c_name for parameter in objects.parameters(function)]
        names = names[1:] if isinstance(key, Method) else names
        hidden = dict.fromkeys(names, arguments.hidden) if arguments.starred else {}
        given = hidden | dict(zip(names, arguments.positional, strict=False)) | {**arguments.keywords}
        return function, given, [handle.origin for handle in self._taken(key, arguments)]

    def _is_right(self, function: Function, arguments: Arguments) -> bool:
        """Whether a function of the module is certainly called with the handle that it takes."""
        given = [*arguments.positional[:1], *arguments.keywords.values(), arguments.hidden]
        keys = [getattr(value, "key", None) for value in given[0] - {Plain.UNKNOWN}]
        return all(isinstance(key, Handle) and key.kind == function.kinds.get(function.receiver) for key in keys)

    def _origins(
        self, key: Symbol | Method, function: Function, node: ast.expr, arguments: Arguments
    ) -> tuple[Hashable, ...]:
        """Return the origins of what a call takes and gives: the call itself, when it makes a handle of none."""
        given = [*arguments.positional, *arguments.keywords.values()]
        values = {value for values in given for value in values} | arguments.hidden
        self.sent |= {text.name for value in values if isinstance(text := getattr(value, "key", None), Text)}
        taken: dict[Hashable, None] = {handle.origin: None for handle in self._taken(key, arguments)}
        unknown = Plain.UNKNOWN in values and not isinstance(key, Method)
        if function.gives and (not function.takes or arguments.starred or unknown):
            taken[node] = None
        return tuple(taken)

    def _taken(self, key: Hashable, arguments: Arguments) -> set[Handle]:
        """Return the handles in a call."""
        given = [*arguments.positional, *arguments.keywords.values(), arguments.hidden]
        keys = {value.key for values in given for value in values if isinstance(value, Token)}
        own = {key.handle} if isinstance(key, Method) else set()
        return own | {key for key in keys if isinstance(key, Handle)}

    def _results(
        self, function: Function, flat: bool, node: ast.expr, origins: Iterable[Hashable], misses: bool
    ) -> Iterator[Given]:
        """Give the code and the outputs of a flat call, or the outputs alone; None, too, where a flat call may fail.

        misses: a flat call without a code may not get its handle.
        """
        names = function.results if flat else objects.results(function)
        code: tuple[Given, ...] = (Token(Code(node)),) if flat and function.returns_code else ()
        is_of_handle = any(name in function.kinds or name == function.user_data for name in names)
        for origin in origins if is_of_handle else (None,):
            outputs = tuple(frozenset(_output(function, name, origin)) for name in names)
            if code:
                yield (*code, *outputs) if outputs else code[0]
            elif len(outputs) == 1:
                yield from outputs[0]
            else:
                yield outputs or Plain.NONE
        if (code and names) or function.name in NULLABLE or (misses and names):
            yield (*code, *(Plain.NONE for _ in names)) if code else Plain.NONE


def _output(function: Function, name: str, origin: Hashable) -> tuple[Given, ...]:
    if name == function.user_data:
        return kept.user_data(function.kinds[function.receiver], origin)
    kind = function.kinds.get(name, "")
    if kind.endswith("[]"):
        return (ListOf((Token(Handle(kind[:-2], origin)),)),)
    return (Token(Handle(kind, origin)) if kind else Token(Data()) if name == _DATA else Plain.OTHER,)
