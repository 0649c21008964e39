"""How an old call refuses an invalid argument: INVALID_VALUE, naming it and what is legal."""

from typing import TypeVar

from comch_next import InvalidValue

__all__ = ["Buffer", "instance", "integer"]

_T = TypeVar("_T")

Buffer = bytes | bytearray | memoryview


def instance(value: object, kind: type[_T], what: str) -> _T:
    """Return `value` if it is a `kind`; the C calls refuse NULL and foreign handles alike."""
    if not isinstance(value, kind):
        raise InvalidValue(f"{what} is {value!r}; legal is a {kind.__name__}")
    return value


def integer(value: object, what: str, *, most: int, least: int = 0) -> int:
    """`value`, when it is a whole number from `least` to `most`, both included."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InvalidValue(f"{what} is {value!r}; legal are whole numbers from {least} to {most}")
    return int(value)
