"""Writes the table of migrate's codes into MIGRATION.md; with --check it only reports whether it is stale."""

from __future__ import annotations

import sys
from pathlib import Path

from migrate.codes import CODES

GUIDE = Path(__file__).resolve().parent.parent / "MIGRATION.md"
BEGIN, END = "<!-- codes:begin -->\n", "<!-- codes:end -->"


def table() -> str:
    """The table of codes."""
    rows = [
        f"| {code} | {page.level} | {page.evidence.said} | {page.title} | {page.advice} |"
        for code, page in CODES.items()
    ]
    return "\n".join(["", "| Code | Level | A run | What | What to do |", "|---|---|---|---|---|", *rows, "", ""])


def updated(text: str) -> str:
    """The guide with the table between its markers."""
    head, _, rest = text.partition(BEGIN)
    _, found, tail = rest.partition(END)
    if not found:
        raise ValueError(f"the markers {BEGIN.strip()} and {END} are not in {GUIDE.name}")
    return head + BEGIN + table() + END + tail


def main() -> int:
    """Write the table, or with --check exit 1 when it is stale."""
    text = GUIDE.read_text(encoding="utf-8")
    new = updated(text)
    if text != new and "--check" not in sys.argv[1:]:
        GUIDE.write_text(new, encoding="utf-8")
    return int(text != new and "--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
