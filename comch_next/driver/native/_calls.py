"""Methods of nouns that are one C function each: made of the function's row in the tables.

Handles, numbers and texts go in, in the order of the row; what the function writes comes back; what it refuses is
raised. Methods whose arguments have another shape, or that run for every message, are written out in their nouns.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from comch_next import api
from comch_next._codes import State
from comch_next.api import Param
from comch_next.driver.native._handle import KINDS, address, end_dropped, live
from comch_next.driver.native._library import Library, check, ffi, passed, text
from comch_next.driver.protocol import NO_BUFFER, by_system, bytes_of, collect_garbage, quoted, uninterrupted
from comch_next.errors import InUse, InvalidValue, NotPermitted

__all__ = [
    "Noun",
    "as_bytes",
    "as_pointer",
    "as_text",
    "call",
    "collecting",
    "destroy_call",
    "stop_and_destroy",
    "text_call",
]

_Convert = Callable[[Any], Any]
_P = ParamSpec("_P")
_T = TypeVar("_T")


class Noun:
    """What every noun of the driver has: the library."""

    def __init__(self, library: Library) -> None:
        self.library = library


class _Call:
    """A method that is one C function, made when a noun is first asked for it."""

    def __init__(self, function: str, result: _Convert | None) -> None:
        self._function = function
        self._result = result

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, noun: Any, owner: type | None = None) -> Any:
        if noun is None:
            return self
        made = _make(noun.library, self._function, self._result)
        noun.__dict__[self._name] = made  # from now on it is what the noun has
        return made


def call(function: str, result: _Convert | None = None) -> Any:
    """Declare a method. `result`: what it makes of what the function writes; else that goes by the C type."""
    return _Call(function, result)


def _make(library: Library, name: str, result: _Convert | None) -> Callable[..., Any]:
    function, row = library[name], api.function(name)
    inputs = [_input(param, name) for param in row.inputs]
    outputs = [param.ctype for param in row.outputs]
    results = [result or _OUTPUTS.get(ctype, int) for ctype in outputs]
    places = [param.is_output for param in row.params]

    def method(*args: Any) -> Any:
        inputs[0](args[0])  # or it is refused, and has no lock
        made = [ffi.new(ctype) for ctype in outputs]
        written = iter(made)
        with args[0].lock:
            given = iter([convert(arg) for convert, arg in zip(inputs, args, strict=True)])
            passed(function, name, *[next(written) if output else next(given) for output in places])
        found = [convert(cell[0]) for convert, cell in zip(results, made, strict=True)]
        return found[0] if len(found) == 1 else (tuple(found) or None)

    return method


def _input(param: Param, name: str) -> _Convert:
    kind = KINDS.get(param.ctype)
    if kind is not None:
        return lambda value: live(value, kind, name).pointer
    if param.ctype == "const char *":
        return lambda value: as_text(value, name)
    if param.ctype.endswith("*"):  # memory, or an object that another library has made: an address
        return lambda number: as_pointer(param.ctype, number, name)
    return _same


def as_text(value: object, name: str) -> bytes:
    """Return a text as C has it; INVALID_VALUE for what is none."""
    if not isinstance(value, str) or "\0" in value:
        raise InvalidValue(f"{name} takes text without NUL, not {quoted(value)}")
    return bytes_of(value)


def as_pointer(ctype: str, number: Any, name: str) -> Any:
    """Return a pointer to an address; INVALID_VALUE for what is none."""
    try:
        return ffi.cast(ctype, number)
    except by_system(TypeError, ValueError, OverflowError):
        raise InvalidValue(f"{name} takes an address, not {quoted(number)}") from None


def as_bytes(data: Any, name: str) -> bytes:
    """Return a copy of anything that holds bytes; INVALID_VALUE for what does not."""
    if type(data) is bytes:
        return data
    try:
        return bytes(memoryview(data))
    except by_system(*NO_BUFFER):
        raise InvalidValue(f"{name} takes a bytes-like object, not {quoted(data)}") from None


def _same(value: Any) -> Any:
    return value


_OUTPUTS: dict[str, _Convert] = {"uint8_t *": bool, "void **": address, "enum doca_ctx_states *": State}


def collecting(call: Callable[_P, _T]) -> Callable[_P, _T]:
    """Decorate a call that is refused while something uses what it ends: that may be garbage, which is then collected.

    Without a lock: finalizers of the program, which run then, may wait for one.
    """

    @wraps(call)
    def collected(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        with suppress(InUse, NotPermitted):
            return call(*args, **kwargs)
        collect_garbage()
        end_dropped()
        return call(*args, **kwargs)

    return collected


def destroy_call(function: str) -> Any:
    """Make a method of a noun that ends an object, with its handle."""

    @collecting
    @uninterrupted
    def destroy(noun: Noun, handle: object) -> None:
        kind = KINDS[api.function(function).params[0].ctype]
        found = live(handle, kind, function)
        with found.lock:
            live(found, kind, function)  # again: another thread may have done it
            check(noun.library[function](found.pointer), function)
            found.ended()

    return destroy


def stop_and_destroy(library: Library, kind: str, pointer: Any) -> None:
    """Give back what the program has dropped, started or not: only what has stopped can be destroyed."""
    library[f"{kind}_stop"](pointer)
    library[f"{kind}_destroy"](pointer)


def text_call(function: str, size: int, *, sized: bool = True) -> Any:
    """Make a method of a noun that reads a text of at most so many bytes, its NUL included."""

    def method(noun: Noun, info: Any) -> str:
        cell = ffi.new("char[]", size)
        kind = KINDS[api.function(function).params[0].ctype]
        arguments = (cell, size) if sized else (cell,)
        with live(info, kind, function).lock:
            passed(noun.library[function], function, live(info, kind, function).pointer, *arguments)
        return text(cell)

    return method
