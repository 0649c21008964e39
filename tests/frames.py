"""Which Python functions of the library a call runs: hot calls run none."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

__all__ = ["TURNS", "fewest", "frames"]

TURNS = 50  # of which some poll the sockets, which is not quick


def frames(call: Callable[[], object]) -> list[str]:
    """The Python functions of the library that a call runs."""
    found: list[str] = []

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_globals["__name__"].startswith(("comch_next", "comm_channel_compat")):
            found.append(frame.f_code.co_name)

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return found


def fewest(call: Callable[[], object]) -> list[str]:
    """The same, of the turn that ran the fewest."""
    return min((frames(call) for _ in range(TURNS)), key=len)
