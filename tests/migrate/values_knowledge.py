"""A Knowledge for tests: `library.X` is a token, calling it gives the token `X()`, whose attributes are its methods."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Mapping, Sequence

from migrate.python.values import Arguments, Bound, CallBack, Given, Kept, Plain, Token, Value

MODULE = Token("library")


class Library:
    """Knows the module `library`; records the calls that it is asked about."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Arguments]] = []

    def module(self, name: str) -> Token | None:
        return MODULE if name == "library" else None

    def attribute(self, token: Token, name: str) -> Iterable[Given] | None:
        key = str(token.key)
        if token is MODULE or key == "library":
            return [Token(name)]
        if name.startswith("old_"):
            return [Bound(Token(f"{key}.{name}"), (token,))]
        return None

    def call(self, token: Token, node: ast.expr, arguments: Arguments) -> Iterable[Given] | None:
        key = str(token.key)
        self.calls.append((key, arguments))
        return None if key.endswith("()") else [Token(f"{key}()")]

    def stores(self, token: Token) -> bool:
        return token.key == "store"

    def keeps(self, token: Token, arguments: Arguments) -> Iterable[tuple[Hashable, frozenset[Value]]]:
        return [("kept", arguments.positional[0])] if token.key == "keep" else []

    def calls_back(self, token: Token, arguments: Arguments) -> Iterable[CallBack]:
        given = (Token("handle"),), (Kept("kept"), Plain.NONE)
        return [CallBack(arguments.positional[0], given)] if token.key == "register" else []

    def elements(self, token: Token) -> Iterable[Given] | None:
        return [Token(f"{token.key}[]")]

    def sliced(self, token: Token) -> Iterable[Given]:
        return [token]

    def is_instance(self, token: Token, kind: Token) -> bool | None:
        return token.key == f"{kind.key}()"

    def enter(self, token: Token) -> Iterable[Given] | None:
        return [token]

    def caught(self, caught: Value) -> Sequence[Token] | None:
        return [Token(f"{caught.key}()")] if isinstance(caught, Token) else None

    def text(self, token: Token) -> Sequence[Token]:
        return [Token("a text")] if token.key in ("Error()", "a text") else []

    def added(self, token: Token, node: ast.AST) -> Sequence[Token]:
        return ()

    def in_flight(self) -> Sequence[Token]:
        return [Token("Error()")]

    def exports(self, token: Token) -> Mapping[str, Iterable[Given]]:
        return {"Exported": [Token("Exported")]}
