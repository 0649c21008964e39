"""A look behind the handles of the emulated library, for tests that play a broken process or a hostile peer."""

from __future__ import annotations

from typing import Any


def inside(thing: Any) -> Any:
    """Return what the emulated library has behind an object's handle, which is opaque to all others."""
    return thing._handle
