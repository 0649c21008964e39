"""Prints a report, once or again and again."""

import sys
import time
from collections.abc import Callable

from comch_next._commands.report import Report

__all__ = ["show"]

_CLEAR = "\x1b[H\x1b[2J"  # a terminal's screen, from its upper left corner


def show(make: Callable[[], Report], as_json: bool, every_s: float | None = None) -> None:
    """Print what `make` returns; every so many seconds without end, where a time is given."""
    encoding = sys.stdout.encoding or "utf-8"  # one that is not of a file has none
    if every_s is None:
        print(make().as_json() if as_json else make().as_text(encoding), flush=True)
        return
    before = _CLEAR if sys.stdout.isatty() and not as_json else ""
    after = "" if before or as_json else "\n"  # an empty line between two reports
    while True:
        report = make()
        print(before + (report.as_json(indent=None) if as_json else report.as_text(encoding)) + after, flush=True)
        time.sleep(every_s)
