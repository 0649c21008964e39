"""How far a run has come, on a terminal."""

from __future__ import annotations

import sys
import time

_EVERY_S = 0.1


class Progress:
    """One line on standard error that is written over; nothing where that is not a terminal."""

    def __init__(self) -> None:
        self._shows = sys.stderr is not None and sys.stderr.isatty()
        self._last = time.monotonic()
        self._there = False

    def show(self, text: str) -> None:
        """Show a text in place of the last one, unless that is very new."""
        now = time.monotonic()
        if self._shows and now - self._last >= _EVERY_S:
            self._last, self._there = now, True
            self._put(f"\r\x1b[K{text}")

    def clear(self) -> None:
        """Take the line away."""
        if self._there:
            self._there = False
            self._put("\r\x1b[K")

    def _put(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
