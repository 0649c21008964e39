"""How a command starts and ends: its name, its exit status, what an interruption does (docs/commands.md)."""

import argparse
import math
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

from comch_next._version import __version__

__all__ = ["INTERRUPTED", "USAGE", "Parser", "end_with_reader", "run", "seconds"]

USAGE = 64
INTERRUPTED = 130


class Parser(argparse.ArgumentParser):
    """Knows --version, and ends with 64 for a wrong command line."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: error: {message}\n")

    def add_version(self) -> None:
        """Add the option --version."""
        self.add_argument("--version", action="version", version=f"comch {__version__}")


def seconds(text: str) -> float:
    """Read a time above 0."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return found


def end_with_reader() -> None:
    """Have a reader of standard output that has seen enough end this process in silence."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def run(main: Callable[[], int]) -> NoReturn:
    """Run a command as a process, which Ctrl-C ends with one line."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = main()
    except KeyboardInterrupt:
        print("comch_next: interrupted", file=sys.stderr)
        status = INTERRUPTED
    sys.exit(status)
