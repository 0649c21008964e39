"""What the old library does later with its arguments: it keeps user data, and calls functions with handles."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping

from migrate.facts.tokens import Data, Handle
from migrate.old_api.vocabulary import Function, Parameter
from migrate.python.values import CallBack, Given, Kept, Plain, Token, Value

_BUFFER = "uint8_t *"  # the bytes of a message, for its callback


def user_data(kind: str, origin: Hashable) -> tuple[Given, ...]:
    """Return what a program may have kept with a handle: nothing, until it does."""
    return Kept((kind, origin)), Plain.NONE


def kept(
    function: Function, given: Mapping[str, frozenset[Value]], origins: Iterable[Hashable]
) -> Iterator[tuple[Hashable, frozenset[Value]]]:
    """Yield the user data that a call gives to its receiver."""
    for parameter in function.parameters if function.receiver else ():
        if parameter.is_user_data and parameter.name in given:
            kind = function.kinds[function.receiver]
            yield from (((kind, origin), given[parameter.name]) for origin in origins)


def called_back(
    function: Function, given: Mapping[str, frozenset[Value]], origins: Iterable[Hashable]
) -> Iterator[CallBack]:
    """Yield what is called back after a call, with handles of the origins of those in it."""
    for parameter in function.parameters:
        if parameter.callback and parameter.name in given:
            for origin in origins:
                passed = tuple(_passed(each, origin) for each in parameter.callback)
                yield CallBack(given[parameter.name], passed)


def _passed(parameter: Parameter, origin: Hashable) -> tuple[Given, ...]:
    if parameter.kind:
        return (Token(Handle(parameter.kind, origin)),)
    if parameter.is_user_data:
        return user_data("task" if parameter.name.startswith("task") else "ctx", origin)
    return (Token(Data()) if parameter.ctype == _BUFFER else Plain.OTHER,)
