"""What the driver is given for an object of the program's."""

from __future__ import annotations

from typing import Any

__all__ = ["handle_of"]


def handle_of(thing: Any) -> Any:
    """Its handle; anything else as it is, for the driver to refuse."""
    return getattr(thing, "_handle", thing)
