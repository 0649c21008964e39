"""How a command starts and ends: its name, its exit status, what an interruption does (docs/commands.md)."""

import argparse
import math
import os
import re
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from comch_next._version import __version__

__all__ = ["INTERRUPTED", "USAGE", "Parser", "end_with_reader", "pci_address", "run", "seconds"]

USAGE = 64
INTERRUPTED = 130
_LONGEST_S = 1e9  # about thirty years; the system adds its own clock to it, and has no room for much more


class Parser(argparse.ArgumentParser):
    """Knows --version, and ends with 64 for a wrong command line."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: error: {message}\n")

    def add_version(self) -> None:
        """Add the option --version."""
        self.add_argument("--version", action="version", version=f"comch {__version__}")


def seconds(text: str) -> float:
    """Read a time above 0 that can be waited for."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found <= _LONGEST_S:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0, up to {_LONGEST_S:g}")
    return found


def pci_address(text: str) -> str:
    """Read a PCI address in short or long form; return the long form."""
    if not re.fullmatch(r"([0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", text.lower()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a PCI address such as 03:00.0 or 0000:03:00.0")
    return text.lower() if text.count(":") == 2 else f"0000:{text.lower()}"


def end_with_reader() -> None:
    """Have a reader of standard output that has seen enough end this process in silence."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def run(main: Callable[[], int]) -> NoReturn:
    """Run a command as a process, which Ctrl-C ends with one line."""
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        status = main()
    except KeyboardInterrupt:
        print("comch_next: interrupted", file=sys.stderr)
        status = INTERRUPTED
    with suppress(OSError):  # what could not be written has been reported, and Python would try again at its end
        sys.stdout.close()
    sys.exit(status)


def _open_streams() -> None:
    """Have what is printed to a stream that was closed when Python started be lost."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # to the end
