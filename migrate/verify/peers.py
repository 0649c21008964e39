"""One end of a program, and the command lines that start it: as it is, and migrated."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

LAUNCHER = (sys.executable, "-m", "comm_channel_compat")


class Script(NamedTuple):
    """What is started on a side: a path relative to the folder of the program."""

    path: Path
    is_python: bool = True

    @classmethod
    def of(cls, root: Path, path: Path) -> Script:
        """Look at a file of a folder: a Python program has the suffix of one, or names Python in its first line."""
        if path.suffix in (".py", ".pyw"):
            return cls(path)
        with (root / path).open("rb") as file:
            first = file.readline(256)
        return cls(path, first.startswith(b"#!") and b"python" in first)


@dataclass(frozen=True)
class Peer:
    """An end. `new` is None for a compiled program that is not rewritten: it runs on both sides.

    `release` is the DOCA whose old API it finds; "" is the launcher's choice.
    """

    name: str  # service, client or program
    old: Script
    new: Script | None
    arguments: tuple[str, ...] = ()
    release: str = ""

    def script(self, *, new: bool) -> Script:
        """Return what is started on a side."""
        return self.new if new and self.new is not None else self.old

    @property
    def shows_results(self) -> bool:
        """Whether the results of its calls can be seen on both sides: those of compiled programs cannot."""
        return self.old.is_python and (self.new is None or self.new.is_python)

    def command(self, folder: Path, *, new: bool, launched: bool, account: Path) -> list[str]:
        """Return the command line for a copy of the program; with the launcher it finds the old API.

        A compiled program writes which old calls it makes to `account`.
        """
        script = self.script(new=new)
        path = str(folder / script.path)
        doca = ("--doca", self.release) if self.release else ()
        if not script.is_python:
            return [*LAUNCHER, "exec", *doca, "--report", str(account), path, *self.arguments]
        return [*((*LAUNCHER, "run", *doca) if launched else (sys.executable,)), path, *self.arguments]
