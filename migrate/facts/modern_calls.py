"""What comch_next calls: the functions that it is given, on objects of its own or on what is given beside them."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType

from migrate.facts.tokens import Modern
from migrate.python.values import Arguments, Bound, CallBack, Function, Partial, Token, Value

# Functions of comch_next that call another one at once -> where its arguments begin.
CALLING = MappingProxyType({Modern("outcome"): 1, Modern("outcome_list"): 1, Modern("outcomes"): 2})
_MOST = 4  # arguments of a callback
_OF_ANY = Token(Modern("outcome of any function"))


def result(function: Modern, arguments: Arguments) -> Token:
    """Return what a call of something in comch_next gives: an object of it, or beside a code what a function gives."""
    begin = CALLING.get(function)
    if begin is None:
        return Token(function)
    given = [value for values in arguments.positional[begin - 1 : begin] for value in values]
    is_modern = all(isinstance(value, Token) and isinstance(value.key, Modern) for value in given)
    return Token(Modern()) if given and is_modern else _OF_ANY


def called_back(function: Modern, arguments: Arguments) -> Iterator[CallBack]:
    """Yield what a call of something in comch_next calls; nothing where a star hides what is passed on."""
    begin = CALLING.get(function)
    if begin is not None and arguments.starred:
        return
    given, passed = [*arguments.positional, *arguments.keywords.values()], [frozenset[Value]({Token(Modern())})] * _MOST
    if begin is not None:
        given, passed = given[begin - 1 : begin], [*arguments.positional[begin:]]
    kinds = Function | Bound | Partial
    functions = frozenset(value for values in given for value in values if isinstance(value, kinds))
    if functions:
        yield CallBack(functions, tuple(map(tuple, passed)))
