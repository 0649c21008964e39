"""One end of a program, and the command lines that start it: as it is, and migrated."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

LAUNCHER = (sys.executable, "-m", "comm_channel_compat")


@dataclass(frozen=True)
class Peer:
    """An end: `script` is relative to the folder of the program. A compiled program runs as it is on both sides."""

    name: str  # service, client or program
    script: Path
    arguments: tuple[str, ...] = ()
    is_python: bool = True

    def command(self, folder: Path, *, launched: bool) -> list[str]:
        """Return the command line for a copy of the program; with the launcher it finds the old API."""
        path = str(folder / self.script)
        if not self.is_python:
            return [*LAUNCHER, "exec", path, *self.arguments]
        return [*((*LAUNCHER, "run") if launched else (sys.executable,)), path, *self.arguments]


def is_python(path: Path) -> bool:
    """Return whether a file is a Python program: by its suffix, else by its first line."""
    if path.suffix in (".py", ".pyw"):
        return True
    with path.open("rb") as file:
        first = file.readline(256)
    return first.startswith(b"#!") and b"python" in first
