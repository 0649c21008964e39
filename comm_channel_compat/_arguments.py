"""What an old call says to an argument that cannot be: INVALID_VALUE, naming it and what is legal."""

from typing import TypeVar

from comch_next import InvalidValue

__all__ = ["Buffer", "instance", "integer", "octets", "text"]

_T = TypeVar("_T")

Buffer = bytes | bytearray | memoryview


def instance(value: object, kind: type[_T], what: str) -> _T:
    """`value`, when it is a `kind`; the C calls say the same to NULL and to a foreign handle."""
    if not isinstance(value, kind):
        raise InvalidValue(f"{what} is {value!r}; legal is a {kind.__name__}")
    return value


def integer(value: object, what: str, *, most: int, least: int = 0) -> int:
    """`value`, when it is a whole number from `least` to `most`, both included."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InvalidValue(f"{what} is {value!r}; legal are whole numbers from {least} to {most}")
    return int(value)


def octets(value: Buffer, what: str) -> memoryview:
    """The bytes of `value`, when it is a buffer without gaps."""
    try:
        return memoryview(value).cast("B")
    except TypeError as error:
        raise InvalidValue(f"{what} is {value!r:.60}; legal are bytes and other buffers") from error


def text(value: object, what: str) -> str:
    """`value` as str; bytes are taken as C passes them, in UTF-8 and perhaps with their NUL."""
    if isinstance(value, bytes):
        try:
            value = value.removesuffix(b"\0").decode()
        except UnicodeDecodeError as error:
            raise InvalidValue(f"{what} is {value!r}, which is no UTF-8") from error
    return instance(value, str, what)
