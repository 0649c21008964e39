"""What a command reports, as aligned tables of plain text or as JSON."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Report", "Section", "plain"]

_GAP = "  "
_SHOWN: Mapping[Any, str] = {None: "-", True: "yes", False: "no"}


@dataclass(frozen=True)
class Section:
    """One table: `columns` are the rows' keys with their headings, in order."""

    key: str
    title: str
    columns: Mapping[str, str]
    rows: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Report:
    """Tables, and sentences on what could not be found out."""

    sections: Sequence[Section]
    notes: Sequence[str] = field(default_factory=list)

    def as_json(self) -> str:
        """One object: each section's rows by its key, and the notes."""
        sections = {section.key: section.rows for section in self.sections}
        return json.dumps({**sections, "notes": self.notes}, indent=2)

    def as_text(self) -> str:
        """The tables under their titles, then the notes."""
        return "\n\n".join([*map(_table, self.sections), *(["\n".join(map(plain, self.notes))] if self.notes else [])])


def plain(text: str) -> str:
    """The text on one line, with escapes for all that would move a terminal's cursor or colour."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def _table(section: Section) -> str:
    if not section.rows:
        return f"{plain(section.title)}: none"
    cells = [[_cell(row[key]) for key in section.columns] for row in section.rows]
    lines = [list(section.columns.values()), *cells]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    right = [all(type(row[key]) in (int, type(None)) for row in section.rows) for key in section.columns]
    return "\n".join([plain(section.title), *(_line(line, widths, right) for line in lines)])


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padding = [" " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=True)]
    padded = [gap + cell if end else cell + gap for cell, gap, end in zip(cells, padding, right, strict=True)]
    return _GAP.join(padded).rstrip()


def _cell(value: object) -> str:
    if value is None or isinstance(value, bool):
        return _SHOWN[value]
    return plain(str(value))


def _width(text: str) -> int:
    """Columns of a terminal: two for wide characters, none for marks on the one before."""
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text
    )
