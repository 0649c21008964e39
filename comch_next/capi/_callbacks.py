"""C functions that Python calls: the program's callbacks, from their addresses.

Handles and addresses of handles are integers, and the union is its number, as everywhere at this border.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comch_next.api import Callback
from comch_next.capi._crossing import crossing
from comch_next.errors import InvalidValue

__all__ = ["Callbacks"]


class Callbacks:
    """Makes Python callables of the callback types of a face's tables."""

    def __init__(self, ffi: Any, rows: tuple[Callback, ...]) -> None:
        self._ffi = ffi
        self._types = {row.name: ffi.typeof(_pointer(row)) for row in rows}

    def at(self, name: str, address: int) -> Callable[..., Any]:
        """Return the C function of that callback type at an address; InvalidValue for NULL."""
        if not address:
            raise InvalidValue(f"the {name} is NULL")
        called: Callable[..., Any] = self._ffi.cast(self._types[name], address)
        return called


def _pointer(row: Callback) -> str:
    taken = ", ".join(crossing(param.ctype) for param in row.params)
    return f"{crossing(row.returns)}(*)({taken})"
