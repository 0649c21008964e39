"""The changes as unified diffs, in the bytes of the files."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterator

from migrate.outcome import FileOutcome
from migrate.report.run import Run

_LINE = re.compile(rb"[^\n]*\n|[^\n]+")


def diff(run: Run, outcome: FileOutcome) -> Iterator[bytes]:
    """Return the lines of one file's diff, as `patch` and `git apply` take them."""
    old, new = (_LINE.findall(text) for text in (outcome.old, outcome.new))
    name = run.name(outcome.path).lstrip("/")
    for line in difflib.diff_bytes(difflib.unified_diff, old, new, _header("a", name), _header("b", name)):
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _header(side: str, name: str) -> bytes:
    """A file's name; one that would end the line is quoted as git does."""
    path = f"{side}/{name}"
    return f'"{path.encode("unicode_escape").decode()}"'.encode() if "\n" in path else os.fsencode(path)
