"""Quick calls: a driver's own, in front of those of the program's objects (see comch_next.driver.protocol)."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType

from comch_next.driver.protocol import Call

__all__ = ["quicken"]


def quicken(owner: object, call: str, quick: Callable[[Call], Call | None]) -> None:
    """Put a quick call in front of one of the owner's, unless the program has made that one its own.

    `quick` makes it of the owner's call; None takes one that is there away.
    """
    slow = getattr(type(owner), call)
    if not slow.__module__.startswith("comch_next."):
        return
    made = quick(MethodType(slow, owner))
    if made is not None:
        object.__setattr__(owner, call, made)
    else:
        vars(owner).pop(call, None)
