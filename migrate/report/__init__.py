"""What migrate prints: one block per file, the diff, the sum of everything."""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.text import Text

from migrate import _codes
from migrate._outcome import Outcome

_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


@dataclass
class Totals:
    """Counts over all files."""

    files: int = 0
    edits: int = 0
    refusals: int = 0
    errors: int = 0
    written: int = 0
    codes: set[str] = field(default_factory=set)

    def add(self, outcome: Outcome) -> None:
        """Count one file."""
        self.files += 1
        self.edits += len(outcome.edits) if outcome.changed else 0
        self.refusals += len(outcome.left)
        self.codes |= {each.code for each in outcome.left}


class Report:
    """Writes to a console; quiet prints nothing but errors."""

    def __init__(self, console: Console, errors: Console, *, quiet: bool = False) -> None:
        self.console = console
        self.errors = errors
        self.quiet = quiet

    def _line(self, text: str, style: str = "") -> None:
        if not self.quiet:
            self.console.print(Text(text, style), soft_wrap=True)

    def error(self, path: Path, message: str) -> None:
        """A file that could not be handled."""
        self.errors.print(Text(f"{path}: {message}", "red"), soft_wrap=True)

    def skipped(self, path: Path, outcome: Outcome) -> None:
        """A file that was left alone as a whole."""
        self.error(path, f"{outcome.skipped}: {_codes.CODES[outcome.skipped].title} ({outcome.reason})")

    def file(self, path: Path, outcome: Outcome, *, written: bool) -> None:
        """One file with old references."""
        verb = "rewritten" if written else "to be rewritten"
        done = f"{len(outcome.edits)} {verb}" if outcome.edits else ""
        left = f"{len(outcome.left)} left to you" if outcome.left else ""
        self._line(f"{path}: {', '.join(each for each in (done, left) if each) or 'coded comments only'}", "bold")
        shown: set[tuple[int, str]] = set()
        for refusal in outcome.left:
            if (refusal.line, refusal.code) not in shown:
                shown.add((refusal.line, refusal.code))
                title = _codes.CODES[refusal.code].title
                self._line(f"  {path}:{refusal.line}: {refusal.code} {refusal.name}: {title}", "yellow")
        for note in outcome.notes if outcome.edits else ():
            self._line(f"  {path}:{note.line}: {note.code} note: {_codes.CODES[note.code].title}")

    def diff(self, path: Path, outcome: Outcome) -> None:
        """The change as a unified diff; where it does not go to a terminal, in the file's own bytes."""
        old, new = (re.findall(rb"[^\n]*\n|[^\n]+", each) for each in (outcome.old, outcome.new))
        names = os.fsencode(f"a/{path}"), os.fsencode(f"b/{path}")
        for line in difflib.diff_bytes(difflib.unified_diff, old, new, *names):
            whole = line.endswith(b"\n")
            self._diff_line(line if whole else line + b"\n\\ No newline at end of file\n")

    def _diff_line(self, line: bytes) -> None:
        raw = getattr(self.console.file, "buffer", None)
        if self.console.is_terminal or raw is None:
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            style = "bold" if text[:3] in ("+++", "---") else _DIFF_STYLES.get(text[:1], "")
            self._line(text, style)
        elif not self.quiet:
            self.console.file.flush()
            raw.write(line)
            raw.flush()

    def summary(self, totals: Totals) -> None:
        """The last line."""
        if not totals.files:
            self._line("nothing of the old APIs found")
            return
        self._line(
            f"{totals.files} file(s) with old references: {totals.edits} rewritten or to be rewritten, "
            f"{totals.refusals} left to you, {totals.errors} error(s)"
        )
        if totals.codes:
            self._line(f"python -m migrate explain CODE tells more about {', '.join(sorted(totals.codes))}")


def codes_table() -> str:
    """The table of codes for MIGRATION.md."""
    rows = [f"| {code} | {page.level} | {page.title} | {page.advice} |" for code, page in _codes.CODES.items()]
    return "\n".join(["", "| Code | Level | What | What to do |", "|---|---|---|---|", *rows, "", ""])
