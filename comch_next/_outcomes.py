"""Result codes in place of exceptions, for programs that branch on codes.

None of these raises a DocaError. What the program does wrong by itself is raised as ever: a call without the arguments
it needs, an attribute that there is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from types import FunctionType
from typing import Any, ParamSpec, TypeVar

from comch_next._codes import ErrorCode
from comch_next.errors import DocaError, InvalidValue, NotConnected

__all__ = ["outcome", "outcome_list", "outcomes"]

_P = ParamSpec("_P")
_T = TypeVar("_T")

_NO_MEMORY = (ErrorCode.NO_MEMORY, None)  # made beforehand: without memory there is none for a tuple either


def outcome(call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> tuple[ErrorCode, _T | None]:
    """Run a call and return its code beside its value, which is None on failure.

    A function of a class of this package (`Channel.listen`) is INVALID_VALUE when its first argument is no object of
    that class, None included; `close` of None is NOT_CONNECTED.
    """
    try:
        if type(call) is FunctionType and args:
            _check_receiver(call, args[0])
        return ErrorCode.SUCCESS, call(*args, **kwargs)
    except DocaError as error:
        return error.code, None
    except MemoryError:
        return _NO_MEMORY


def outcomes(count: int, call: Callable[_P, Sequence[Any]], *args: _P.args, **kwargs: _P.kwargs) -> tuple[Any, ...]:
    """Run a call that returns `count` values, and return its code and each of them; None for each on failure."""
    code, values = outcome(call, *args, **kwargs)
    return code, *((None,) * count if values is None else values)


def outcome_list(
    call: Callable[_P, list[_T]], *args: _P.args, **kwargs: _P.kwargs
) -> tuple[ErrorCode, list[_T] | None, int | None]:
    """Run a call that returns a list, and return its code, the list and its length; None for both on failure."""
    code, values = outcome(call, *args, **kwargs)
    return code, values, None if values is None else len(values)


def _check_receiver(function: FunctionType, receiver: object) -> None:
    owner = _owners().get(function)
    if owner is None or isinstance(receiver, owner):
        return
    error = NotConnected if receiver is None and function in _closes() else InvalidValue
    raise error(f"{function.__qualname__} was attempted on {receiver!r}; it is legal on a {owner.__name__}")


@cache
def _owners() -> dict[FunctionType, type]:
    """Each function of the package's classes, those behind properties included, with the class that has it."""
    import comch_next

    exported = [value for name in comch_next.__all__ if isinstance(value := getattr(comch_next, name), type)]
    classes = {base for cls in (*exported, comch_next.log.Backend) for base in cls.__mro__ if _is_own(base)}
    return {function: cls for cls in classes for member in vars(cls).values() for function in _functions(member)}


@cache
def _closes() -> set[FunctionType]:
    """The functions that generation 1 had as ep_destroy, where NULL is NOT_CONNECTED."""
    from comch_next.context import Context

    return {
        function for function, cls in _owners().items() if function.__name__ == "close" and issubclass(cls, Context)
    }


def _is_own(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == __name__.partition(".")[0]


def _functions(member: object) -> Iterator[FunctionType]:
    candidates = (member.fget, member.fset) if isinstance(member, property) else (member,)
    return (function for function in candidates if isinstance(function, FunctionType))
