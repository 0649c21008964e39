"""Checks of arguments, as the old generations made them: InvalidValue names the value and what is legal."""

from __future__ import annotations

import ctypes
import sys
from typing import Any, TypeVar

from comch_next._origins import register_origin, shown
from comch_next.driver.protocol import NO_BUFFER, by_system, quoted, suppress_system, text_of
from comch_next.errors import InvalidValue

__all__ = [
    "ANY_SIZE",
    "Buffer",
    "UNSET",
    "absolute",
    "address",
    "cut",
    "instance",
    "integer",
    "offset",
    "register_origin",
    "shown",
    "span",
    "text",
]

_T = TypeVar("_T")

_MOST_ADDRESS, _MOST = 2**64 - 1, 2**47
_MOST_LOG = 31  # of a count that is an uint32_t
ANY_SIZE = 1 << 31  # of a message that is to be received
UNSET: Any = type("Unset", (), {"__repr__": lambda _: "UNSET"})()  # where None is a value that a program may give
Buffer = bytes | bytearray | memoryview


def instance(value: object, kind: type[_T], what: str) -> _T:
    """Return `value` if it is a `kind`."""
    if not isinstance(value, kind):
        raise InvalidValue(f"{what} is {shown(value, kind)}; legal is a {kind.__name__}")
    return value


def integer(value: object, what: str, *, most: int, least: int = 0) -> int:
    """Return `value` if it is a whole number from `least` to `most`, both included."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= int.__int__(value) <= most:
        raise InvalidValue(f"{what} is {quoted(value)}; legal are whole numbers from {least} to {most}")
    return int.__int__(value)


def absolute(log_num_tasks: object) -> int:
    """Return the count of tasks of which a program of DOCA 2.5 gave the log2."""
    return 1 << integer(log_num_tasks, "log_num_tasks", most=_MOST_LOG)


def cut(data: Any, length: object) -> bytes:
    """Return the first `length` bytes of a buffer, all without one; it counts bytes whatever the items are."""
    try:
        view = memoryview(data)
        view = view.cast("B") if view.c_contiguous else memoryview(view.tobytes())
    except by_system(*NO_BUFFER):
        raise InvalidValue(f"message is {quoted(data):.60}; legal are bytes and other buffers") from None
    return bytes(view if length is UNSET else view[: integer(length, "length", most=view.nbytes)])


def address(memory: Any, what: str) -> int:
    """Return an address; a writable buffer stands for its own."""
    if isinstance(memory, int):
        return integer(memory, what, most=_MOST_ADDRESS)
    try:
        return ctypes.addressof(ctypes.c_char.from_buffer(memory))
    except by_system(*NO_BUFFER):
        raise InvalidValue(f"{what} is {quoted(memory):.60}; legal is an address or a writable buffer") from None


def offset(memory: Any, count: int) -> Any:
    """Return the memory behind an offset, as C's `memory + count`: a view, or the address where that lies outside."""
    with suppress_system(*NO_BUFFER):  # an address is a number already, and says what else is none
        if 0 <= count <= len(memory):
            return memoryview(memory)[count:]
    return address(memory, "memory") + count


def span(memory: Any, length: object) -> Any:
    """Return the first `length` bytes of a buffer, or of the memory at an address, as a buffer."""
    if isinstance(memory, int):
        start, size = integer(memory, "address", least=1, most=_MOST_ADDRESS), integer(length, "length", most=_MOST)
        if start + size > sys.maxsize:
            raise InvalidValue(f"memory is {size} bytes at {start:#x}, which no process has")
        return (ctypes.c_char * size).from_address(start)
    try:
        view = memoryview(memory).cast("B")
    except by_system(*NO_BUFFER):
        raise InvalidValue(f"memory is {quoted(memory):.60}; legal is an address or a writable buffer") from None
    return view[: integer(length, "length", most=view.nbytes)]


def text(value: object, what: str) -> str:
    """Return `value` as str; bytes are taken as C passes them, perhaps with the NUL."""
    if isinstance(value, bytes):
        value = text_of(value.removesuffix(b"\0"))
    return instance(value, str, what)
