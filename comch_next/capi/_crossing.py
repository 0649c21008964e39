"""What crosses the border between C and Python: handles and callbacks are integers, the union is its number."""

from __future__ import annotations

from functools import cache

from comch_next import api

__all__ = ["by_value", "crossing"]

_UNION = "union doca_data"


@cache
def _callbacks() -> frozenset[str]:
    return frozenset(row.name for generation in api.GENERATIONS for row in api.callbacks(generation))


@cache
def _numbers() -> dict[str, str]:
    """The C type behind each typedef of a number."""
    rows = (row for generation in api.GENERATIONS for row in api.typedefs(generation))
    return {row.name: row.ctype.split(" on Linux")[0] for row in rows}


def crossing(ctype: str, *, is_output: bool = False) -> str:
    """The type that a parameter or result of a function has on the Python side."""
    base, stars = ctype.removeprefix("const ").rstrip("* "), ctype.count("*")
    while base in _numbers():
        base = _numbers()[base]
    if base in _callbacks():
        return "uintptr_t"
    if stars == 0:
        return "uint64_t" if base == _UNION else "int" if base.startswith("enum ") else base
    if stars > 1:
        return "uintptr_t *" if is_output else "uintptr_t"
    if base.startswith("struct "):
        return "uintptr_t"
    base = "uint64_t" if base == _UNION else "int" if base.startswith("enum ") else base
    return "char *" if base == "void" else f"{base} *"


def by_value(ctype: str) -> bool:
    """Whether the type is the union itself, not a pointer to it."""
    return ctype.removeprefix("const ") == _UNION
