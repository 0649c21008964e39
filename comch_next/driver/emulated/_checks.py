"""The refusals that every noun shares: a handle of the wrong kind, a call in the wrong state, no memory."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from comch_next.driver.emulated._kernel.memory import EXHAUSTED
from comch_next.driver.emulated._state import CALLS
from comch_next.driver.protocol import KERNELS, NO_BUFFER, by_system, collect_garbage, quoted, refuse_kernel
from comch_next.errors import BadState, DocaError, InvalidValue, NoMemory, OperatingSystem

__all__ = ["as_bytes", "collecting", "expect", "expect_callback", "expect_number", "in_state", "says_no_memory"]

_P = ParamSpec("_P")
_R = TypeVar("_R")
_T = TypeVar("_T")

# What the program calls the objects whose handles have other names.
_OBJECTS = {"Dev": "Device", "DevRep": "Representor", "Engine": "ProgressEngine", "Inventory": "BufInventory"}


def expect(value: object, kind: type[_T], call: str) -> _T:
    """The value, if it is of that kind: NULL and foreign handles are INVALID_VALUE. No call of kernels takes one."""
    if KERNELS:
        refuse_kernel(call)
    if not isinstance(value, kind):
        raise InvalidValue(f"{call} takes a {_OBJECTS.get(kind.__name__, kind.__name__)}, not {quoted(value)}")
    return value


def expect_callback(value: object, call: str) -> None:
    """A callback must be callable."""
    if not callable(value):
        raise InvalidValue(f"{call} takes a callback, not {quoted(value)}")


def expect_number(value: object, most: int, call: str, *, least: int = 1) -> int:
    """A whole number in the range that the device allows, whatever its class compares: the number alone."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= int.__int__(value) <= most:
        raise InvalidValue(f"{call} takes a whole number from {least} to {most}, not {quoted(value)}")
    return int.__int__(value)


def collecting(
    kind: type[_T], users: Callable[[_T], int]
) -> Callable[[Callable[Concatenate[Any, Any, _P], _R]], Callable[Concatenate[Any, Any, _P], _R]]:
    """Decorate a call of a noun that is refused while there are users of what it ends.

    What the program has dropped may lie in circles, and is collected first: before the call has a lock, because the
    program's finalizers, which run then, may wait for one.
    """

    def decorate(call: Callable[Concatenate[Any, Any, _P], _R]) -> Callable[Concatenate[Any, Any, _P], _R]:
        @wraps(call)
        def collected(noun: Any, handle: Any, /, *args: _P.args, **kwargs: _P.kwargs) -> _R:
            if isinstance(handle, kind) and users(handle):
                collect_garbage()
            return call(noun, handle, *args, **kwargs)

        return collected

    return decorate


def as_bytes(data: Any, call: str) -> bytes:
    """A copy of anything that holds bytes."""
    try:
        return bytes(memoryview(data))
    except by_system(*NO_BUFFER):
        raise InvalidValue(f"{call} takes a bytes-like message, not {quoted(data)}") from None


def in_state(context: Any, call: str) -> None:
    """Raise BadState unless the table allows the call in the context's state."""
    if call not in context.legal:
        states = " or ".join(sorted(state.name for state in CALLS[call]))
        raise BadState(f"{call} was attempted on {context} while {context.state.name}; it is legal while {states}")


def says_no_memory(create: Callable[_P, _T]) -> Callable[_P, _T]:
    """Raise NoMemory where memory or descriptors have run out, OperatingSystem for what else the system refuses."""

    @wraps(create)
    def guarded(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return create(*args, **kwargs)
        except DocaError:
            raise
        except by_system(MemoryError) as error:
            raise NoMemory(f"{create.__name__}: out of memory") from error
        except by_system(OSError) as error:
            kind = NoMemory if error.errno in EXHAUSTED else OperatingSystem
            raise kind(f"{create.__name__}: {error}") from error

    return guarded
