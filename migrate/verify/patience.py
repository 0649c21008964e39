"""How much time a process has used: time in which it waited for a processor does not count."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")


class _Times(NamedTuple):
    """Seconds of a clock, and of a process: on a processor, and waiting for one."""

    clock: float
    ran: float
    waited: float


class Patience:
    """The part of the time since its start that a process could use. Linux reports it for the main thread."""

    def __init__(self, pid: int) -> None:
        self._path = _PROC / str(pid) / "schedstat"
        self._last = (0.0, 0.0)
        self._began = self._now()

    def spent_s(self) -> float:
        """Return the seconds in which it ran or slept."""
        since = self._since()
        return since.clock - since.waited

    def slept_s(self) -> float:
        """Return the seconds in which it slept."""
        since = self._since()
        return since.clock - since.waited - since.ran

    def _since(self) -> _Times:
        now, began = self._now(), self._began
        return _Times(now.clock - began.clock, now.ran - began.ran, now.waited - began.waited)

    def _now(self) -> _Times:
        try:
            ran, waited, *_ = self._path.read_text("ascii").split()
            self._last = int(ran) / 1e9, int(waited) / 1e9
        except (OSError, ValueError):  # it has ended, or the system does not tell
            pass
        return _Times(time.monotonic(), *self._last)
