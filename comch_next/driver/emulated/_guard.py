"""Checks of a call's handle and arguments before it runs: kind, liveness, state, ranges; and its lock.

A guard takes the name of the call from its function, so every refusal names the call.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from comch_next.driver.emulated._checks import expect, expect_callback, expect_number, in_state
from comch_next.driver.emulated._state import CALLS
from comch_next.driver.protocol import Lock, new_lock
from comch_next.driver.protocol._typed import Protocol

__all__ = ["UNCONNECTED", "Find", "Locked", "alone", "callback", "guard", "known", "up_to"]

_H = TypeVar("_H", bound="Locked")
_L = TypeVar("_L", bound="Locked")
_P = ParamSpec("_P")
_T = TypeVar("_T")
UNCONNECTED = new_lock()  # around calls on what has no engine, which run no callback; the inner one of two


class Locked(Protocol):
    """A handle whose calls one thread makes at a time."""

    @property
    def lock(self) -> Lock: ...


Find = Callable[[object, str], _H]
Check = Callable[[Any, Any, str], None]  # (argument, the handle's object, call)


def known(kind: type[_H]) -> Find[_H]:
    """Find the object of that kind behind a handle, in whatever state it is."""

    def find(handle: object, call: str) -> _H:
        return expect(handle, kind, call)

    return find


def guard(
    prefix: str, find: Find[_H], **checks: Check
) -> Callable[[Callable[Concatenate[Any, _H, _P], _T]], Callable[Concatenate[Any, Any, _P], _T]]:
    """Decorate a call of a noun: its first argument is a handle, of which `find` makes the object or refuses it.

    The call is named `prefix` and its function's name. One that the table of states has is refused in other states.
    Each of `checks` refuses the argument of that name, in the order of the arguments. The object's lock is held from
    the first check to the end of the call.
    """

    def decorate(function: Callable[Concatenate[Any, _H, _P], _T]) -> Callable[Concatenate[Any, Any, _P], _T]:
        name = function.__name__
        call = prefix + name
        row = next((listed for listed in (call, name) if listed in CALLS), None)
        code: Any = function.__code__
        arguments = code.co_varnames[2 : code.co_argcount]
        places = [(place, checks[argument]) for place, argument in enumerate(arguments) if argument in checks]

        @wraps(function)
        def guarded(noun: Any, handle: object, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
            while True:
                lock = find(handle, call).lock
                with lock:
                    found = find(handle, call)  # again: another thread may have destroyed it
                    if found.lock is not lock:  # or connected it to an engine
                        continue
                    if row is not None:
                        in_state(found, row)
                    for place, check in places:
                        check(args[place], found, call)
                    return function(noun, found, *args, **kwargs)

        return guarded

    return decorate


def alone(function: Callable[Concatenate[_L, _P], _T]) -> Callable[Concatenate[_L, _P], _T]:
    """Decorate a method of an object: its lock is held while the call runs."""

    @wraps(function)
    def locked(found: _L, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        while True:
            lock = found.lock
            with lock:
                if found.lock is lock:
                    return function(found, *args, **kwargs)

    return locked


def callback(value: object, _: object, call: str) -> None:
    """Refuse what cannot be called."""
    expect_callback(value, call)


def up_to(limit: str, *, least: int = 1) -> Check:
    """Refuse numbers above that limit of the context's device."""

    def check(value: object, context: Any, call: str) -> None:
        expect_number(value, getattr(context.dev.info.row.limits, limit), call, least=least)

    return check
