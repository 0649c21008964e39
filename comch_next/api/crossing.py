"""C types as they cross the border to Python: handles and callbacks are integers, the union is its number."""

from __future__ import annotations

from functools import cache

from ._load import GENERATIONS, callbacks, typedefs
from ._rows import Callback

__all__ = ["by_value", "callback_pointer", "crossing", "nothing"]

_UNION = "union doca_data"
_NOTHING = {"doca_event_channel_t": -1}  # doca_event_invalid_handle, as 0 is a descriptor: standard input


@cache
def _callbacks() -> frozenset[str]:
    return frozenset(row.name for generation in GENERATIONS for row in callbacks(generation))


@cache
def _numbers() -> dict[str, str]:
    """The C type behind each typedef of a number."""
    rows = (row for generation in GENERATIONS for row in typedefs(generation))
    return {row.name: row.ctype.split(" on Linux")[0] for row in rows}


def crossing(ctype: str, *, is_output: bool = False) -> str:
    """The type that a parameter or result of a function has on the Python side."""
    base, stars = ctype.removeprefix("const ").rstrip("* "), ctype.count("*")
    while base in _numbers():
        base = _numbers()[base]
    if base in _callbacks():
        return "uintptr_t"
    if base.startswith("struct ") or stars > 1:
        return "uintptr_t *" if stars > 1 and is_output else "uintptr_t"
    base = {_UNION: "uint64_t", "void": "char" if stars else "void"}.get(base, base)
    base = "int" if base.startswith("enum ") else base
    return f"{base} *" if stars else base


def callback_pointer(row: Callback) -> str:
    """The type of a pointer to a callback, as Python calls it."""
    return f"{crossing(row.returns)}(*)({', '.join(crossing(param.ctype) for param in row.params)})"


def nothing(ctype: str) -> int:
    """Return what stands for no result of a type that is not doca_error_t: 0 and NULL, unless 0 would be a result."""
    return _NOTHING.get(ctype, 0)


def by_value(ctype: str) -> bool:
    """Whether the type is the union itself, not a pointer to it."""
    return ctype.removeprefix("const ") == _UNION
