"""Result codes in place of exceptions, for programs that branch on codes.

None of these raises a DocaError. Programming errors, such as a missing argument or attribute, are raised as usual.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial, wraps
from types import FunctionType, TracebackType
from typing import Any, ParamSpec, TypeAlias, TypeVar, overload

from comch_next._codes import ErrorCode
from comch_next.driver.protocol import bytes_of, quoted, report_unraisable
from comch_next.errors import DocaError, InvalidValue, NotConnected

__all__ = ["named", "outcome", "outcome_list", "outcomes", "store", "unraisable"]

_P = ParamSpec("_P")
_T = TypeVar("_T")
_OnError: TypeAlias = Callable[[type[BaseException], BaseException, TracebackType | None], Any]

_NO_MEMORY = (ErrorCode.NO_MEMORY, None)  # made beforehand: without memory there is none for a tuple either


def outcome(call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> tuple[ErrorCode, _T | None]:
    """Run a call and return its code beside its value, which is None on failure.

    A function of a class of this package (`Channel.listen`, `Channel.device.fget`) is called on its first argument: the
    code is INVALID_VALUE if that is not an object of the class, None included, and NOT_CONNECTED for `close` of None.
    """
    try:
        if type(call) is FunctionType and args:
            call = _own_call(call, args[0])
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


def store(result: Sequence[Any], *cells: Any) -> ErrorCode:
    """Put the values of an outcome into cells, as C does through pointers, and return its code.

    A cell is a list of one item, a writable buffer, to whose beginning text or bytes are copied, or None, which ignores
    the value. Where there is no value the cell keeps its contents.
    """
    code: ErrorCode = result[0]
    for cell, value in zip(cells, result[1:], strict=True):
        if cell is None or value is None:
            continue
        if isinstance(cell, list):
            cell[0] = value
        else:
            data = bytes_of(f"{value}\0") if isinstance(value, str) else value
            cell[: len(data)] = data
    return code


@overload
def unraisable(callback: Callable[_P, _T], *, onerror: _OnError | None = None) -> Callable[_P, _T | None]: ...


@overload
def unraisable(*, onerror: _OnError) -> Callable[[Callable[_P, _T]], Callable[_P, _T | None]]: ...


def unraisable(callback: Any = None, *, onerror: _OnError | None = None) -> Any:
    """Return a callback whose exceptions do not reach `progress`, as with callbacks of cffi and ctypes.

    Every exception, SystemExit and KeyboardInterrupt included, goes to sys.unraisablehook, and the call returns None.
    With `onerror`, as in cffi, that is called with type, value and traceback instead, and its result is returned.
    Without a callback, return a decorator.
    """
    if callback is None:
        return partial(unraisable, onerror=onerror)

    @wraps(callback)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            try:
                return callback(*args, **kwargs)
            except BaseException as error:  # C has nobody to raise it to
                if onerror is None:
                    raise
                return onerror(type(error), error, error.__traceback__)
        except BaseException as error:
            report_unraisable(error)
            return None

    return call


def named(name: str, function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Return a function that calls another one, with a `__name__` of its own, for messages and tables."""

    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


def _own_call(function: FunctionType, receiver: object) -> FunctionType:
    """What the receiver's own class has for a function of one of its bases; any other function as it is."""
    if function not in _owners():
        return function
    owner, name, accessor = _owners()[function]
    if not isinstance(receiver, owner):
        error = NotConnected if receiver is None and function in _closes() else InvalidValue
        text = f"{function.__qualname__} was attempted on {quoted(receiver)}"
        raise error(f"{text}; it is legal on a {owner.__name__}")
    member: Any = next(vars(base)[name] for base in type(receiver).__mro__ if name in vars(base))
    own: FunctionType = getattr(member, accessor) if accessor else member
    return own


@cache
def _owners() -> dict[FunctionType, tuple[type, str, str]]:
    """Each function of the package's classes with its class and name, and what it is of a property."""
    import comch_next

    exported = [value for name in comch_next.__all__ if isinstance(value := getattr(comch_next, name), type)]
    classes = {base for cls in (*exported, comch_next.log.Backend) for base in cls.__mro__ if _is_own(base)}
    return {
        function: (cls, name, accessor)
        for cls in classes
        for name, member in vars(cls).items()
        for accessor in ("", "fget", "fset")
        if isinstance(function := getattr(member, accessor, None) if accessor else member, FunctionType)
    }


@cache
def _closes() -> set[FunctionType]:
    """The functions that generation 1 had as ep_destroy, where NULL is NOT_CONNECTED."""
    from comch_next._blocking import BlockingChannel
    from comch_next.context import Context

    endpoints, owners = (BlockingChannel, Context), _owners().items()
    return {function for function, (cls, name, _) in owners if name == "close" and issubclass(cls, endpoints)}


def _is_own(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == __name__.partition(".")[0]
