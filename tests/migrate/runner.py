"""Run programs that a test holds as text, each in a process of its own that has nothing to import any more."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from tests.processes import SOON_S

__all__ = ["Runner"]


class Runner:
    """A process that runs programs, each in a child of its own."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.migrate.worker"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, program: str | Mapping[str, bytes], *, launched: bool) -> str:
        """Return what a program prints, and its exit status; its files begin with main.py, a text is that alone."""
        given = {"main.py": program.encode()} if isinstance(program, str) else program
        files = {name: data.decode("latin-1") for name, data in given.items()}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps({"files": files, "launched": launched}), file=self._process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return f"{answer['output']}\n[exits with {answer['status']}]"

    def close(self) -> None:
        """End the process: it reads no more programs."""
        self._process.communicate(timeout=SOON_S)
