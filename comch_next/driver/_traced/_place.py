"""The program's line behind a call of the toolkit, for a trace to name."""

import os
import sys
from types import FrameType

__all__ = ["caller"]

_TOOLKIT = {"comch_next", "comm_channel_compat"}
_STANDARD = os.path.dirname(os.__file__) + os.sep
_PACKAGES = os.path.join(_STANDARD, "site-packages", "")  # other people's, installed below the standard library
_LONGEST = 512  # of a path: a line of a trace lies within one page


def caller() -> str | None:
    """Return `file:line` of the innermost frame that is not the toolkit's; None where only Python's own are left."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    return None if frame is None else f"{frame.f_code.co_filename[-_LONGEST:]}:{frame.f_lineno}"


def _is_ours(frame: FrameType) -> bool:
    """Whether a frame is of the toolkit or of Python's library, asyncio and threading among it."""
    if str(frame.f_globals.get("__name__")).partition(".")[0] in _TOOLKIT:
        return True
    path = frame.f_code.co_filename
    return path.startswith("<frozen") or (path.startswith(_STANDARD) and not path.startswith(_PACKAGES))
