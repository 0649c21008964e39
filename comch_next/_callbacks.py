"""What a program gives to be called back."""

from __future__ import annotations

from comch_next._origins import shown
from comch_next.errors import InvalidValue

__all__ = ["expect_callback"]


def expect_callback(value: object, call: str, what: str = "a callback") -> None:
    """Raise InvalidValue for what cannot be called."""
    if not callable(value):
        raise InvalidValue(f"{call} takes {what}, not {shown(value)}")
