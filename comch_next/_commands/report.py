"""What a command reports, as aligned tables of plain text or as JSON."""

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

__all__ = ["Report", "Section", "plain", "readable"]

_GAP = "  "
_LINE = 80  # columns of a terminal that a table fits in, as far as its numbers let it
_LEAST = 8  # columns that a shortened text keeps
_ELLIPSES = "\N{HORIZONTAL ELLIPSIS}", "..."  # the first that can be shown
_SHOWN: Mapping[Any, str] = {None: "-", True: "yes", False: "no"}


@dataclass(frozen=True)
class Section:
    """One table: `columns` are the keys that it shows with their headings, in order; as JSON a row is shown whole."""

    key: str
    title: str
    columns: Mapping[str, str]
    rows: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Report:
    """Tables, and sentences on what could not be found out."""

    sections: Sequence[Section]
    notes: Sequence[str] = field(default_factory=list)

    def as_json(self, indent: int | None = 2) -> str:
        """One object: each section's rows by its key, and the notes. On one line without an indent."""
        sections = {section.key: section.rows for section in self.sections}
        return json.dumps({**sections, "notes": self.notes}, indent=indent)

    def as_text(self, encoding: str = "utf-8") -> str:
        """The tables under their titles, then the notes; the tables fit in that encoding."""
        tables = map(partial(_table, encoding=encoding), self.sections)
        return "\n\n".join([*tables, *(["\n".join(map(plain, self.notes))] if self.notes else [])])


def plain(text: str, encoding: str = "utf-8") -> str:
    """The text on one line, with escapes for what would move a terminal's cursor or colour or cannot be encoded."""
    printable = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
    return printable.encode(encoding, "backslashreplace").decode(encoding)


def readable(error: Exception) -> str:
    """The text of an error in its own lines: behind the first one stands what was tried."""
    text = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        text = f"{error.filename}: {error.strerror}"
    return "\n".join(map(plain, text.split("\n")))


def _table(section: Section, encoding: str = "utf-8") -> str:
    if not section.rows:
        return f"{plain(section.title)}: none"
    cells = [[plain(_cell(row[key]), encoding) for key in section.columns] for row in section.rows]
    lines = [list(section.columns.values()), *cells]
    right = [all(type(row[key]) in (int, type(None)) for row in section.rows) for key in section.columns]
    widths = _fitted([max(map(_width, column)) for column in zip(*lines, strict=True)], right)
    ellipsis = next(known for known in _ELLIPSES if plain(known, encoding) == known)
    lines = [[_cut(cell, width, ellipsis) for cell, width in zip(line, widths, strict=True)] for line in lines]
    return "\n".join([plain(section.title), *(_line(line, widths, right) for line in lines)])


def _fitted(widths: Sequence[int], right: Sequence[bool]) -> list[int]:
    """The widths of the columns, those of texts made smaller until a line fits, the widest first."""
    fitted = list(widths)
    texts = [column for column, is_number in enumerate(right) if not is_number and widths[column] > _LEAST]
    while texts and sum(fitted) + len(_GAP) * (len(fitted) - 1) > _LINE:
        widest = max(texts, key=lambda column: fitted[column])
        if fitted[widest] == _LEAST:
            break
        fitted[widest] -= 1
    return fitted


def _cut(cell: str, width: int, ellipsis: str) -> str:
    """The cell, or as much of it as there is room for, with an ellipsis."""
    if _width(cell) <= width:
        return cell
    while _width(cell) > width - len(ellipsis):
        cell = cell[:-1]
    return cell + ellipsis


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    padding = [" " * (width - _width(cell)) for cell, width in zip(cells, widths, strict=True)]
    padded = [gap + cell if end else cell + gap for cell, gap, end in zip(cells, padding, right, strict=True)]
    return _GAP.join(padded).rstrip()


def _cell(value: object) -> str:
    if value is None or isinstance(value, bool):
        return _SHOWN[value]
    return str(value)


def _width(text: str) -> int:
    """Columns of a terminal: two for wide characters, none for marks on the one before."""
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text
    )
