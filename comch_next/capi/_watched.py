"""Gives the calls of C programs to what asks for them: COMCH_CALL_SINK=MODULE:FUNCTION."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["watched"]


def watched(name: str, is_coded: bool, function: Callable[..., Any]) -> Callable[..., Any]:
    """Have the sink make the calls of a C function, if there is one; `is_coded`: it returns a result code."""
    place = os.environ.get("COMCH_CALL_SINK")
    if not place:
        return function

    def run(*args: Any) -> Any:
        return _sink(place)(name, is_coded, function, args)

    return run


@cache
def _sink(place: str) -> Callable[..., Any]:
    """Load it at the first call: it may stand on what is being loaded."""
    module, _, name = place.partition(":")
    sink: Callable[..., Any] = getattr(import_module(module), name)
    return sink
