"""The handles of objects, as the driver takes them."""

from __future__ import annotations

from typing import Any

from comch_next._origins import is_foreign, shown
from comch_next.errors import InvalidValue

__all__ = ["handle_of"]


def handle_of(thing: Any) -> Any:
    """Return an object's handle; anything else unchanged, for the driver to refuse. InvalidValue for an old object."""
    if is_foreign(thing):
        raise InvalidValue(f"the argument is {shown(thing)}")
    return getattr(thing, "_handle", thing)
