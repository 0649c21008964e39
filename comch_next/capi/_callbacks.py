"""C functions that Python calls: the program's callbacks, from their addresses.

Handles and addresses of handles are integers, and the union is its number, as everywhere at this border.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from comch_next.capi._tables import CALLBACKS
from comch_next.errors import InvalidValue

__all__ = ["Callbacks"]


class Callbacks:
    """Makes Python callables of the functions that a program gives."""

    def __init__(self, ffi: Any) -> None:
        self._ffi = ffi

    def at(self, name: str, address: int) -> Callable[..., Any]:
        """Return the C function of that callback type at an address; InvalidValue for NULL."""
        if not address:
            raise InvalidValue(f"the {name} is NULL")
        called: Callable[..., Any] = self._ffi.cast(CALLBACKS[name], address)
        return called
