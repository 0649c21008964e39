"""C functions that Python calls: the program's callbacks, from their addresses.

Handles and addresses of handles are integers, and the union is its number, as everywhere at this border.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from comch_next.capi._pointers import POINTERS
from comch_next.capi.handles import Handle
from comch_next.errors import InvalidValue

__all__ = ["Callbacks"]


class Callbacks:
    """Makes Python callables of the functions that a program gives; `makers` are those of _sources/callbacks.c."""

    def __init__(self, ffi: Any, makers: Sequence[Callable[[Any], Callable[..., Any]]] = ()) -> None:
        self._ffi = ffi
        self._makers = {maker.__name__: maker for maker in makers}

    def at(self, name: str, address: int) -> Callable[..., Any]:
        """Return the C function of that callback type at an address; InvalidValue for NULL."""
        called: Callable[..., Any] = self._ffi.cast(POINTERS[name], _given(name, address))
        return called

    def completed(self, name: str, address: int) -> Callable[[Handle], None]:
        """Return what calls the completion callback at an address for a task; InvalidValue for NULL."""
        return self._makers["completed"](_given(name, address))

    def received(self, name: str, address: int, context: Handle) -> Callable[[Handle | None, bytes], None]:
        """Return what calls the message callback at an address for a context's messages; InvalidValue for NULL."""
        return self._makers["received"]((_given(name, address), context))


def _given(name: str, address: int) -> int:
    if not address:
        raise InvalidValue(f"the {name} is NULL")
    return address
