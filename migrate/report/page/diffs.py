"""The changes of a run's files as tables, the old line beside the new one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from migrate.report.page.links import Links, Shown
from migrate.report.page.markup import Element, joined, tag
from migrate.report.page.sheet import section
from migrate.report.page.sides import Row, Side
from migrate.report.run import Run

_GAP = tag("tr", tag("td", "⋮", colspan="4"), class_="gap")
_HEAD = tag(
    "thead",
    tag("tr", *(cell for name in ("old", "new") for cell in (tag("td", class_="line"), tag("th", name, scope="col")))),
)


def diffs(run: Run, links: Links) -> Iterator[Element]:
    """Yield the changes of all files, each of them folded."""
    folds = [_file(run, file) for file in links.files.values() if file.hunks]
    if folds:
        yield section("Changes", *folds)


def _file(run: Run, file: Shown) -> Element:
    rows = list(chain.from_iterable((_GAP, *(_row(file, row) for row in hunk)) for hunk in file.hunks))[1:]
    summary = tag("summary", tag("b", run.name(file.outcome.path)), f" {run.told(file.outcome)}")
    table = tag("table", _HEAD, tag("tbody", *rows), class_="sides")
    return tag("details", summary, table, id=file.diff_id, data_codes=file.codes or None)


def _row(file: Shown, row: Row) -> Element:
    cells = joined(*_cells(row.old, "del"), *_cells(row.new, "ins"))
    anchor = file.line_id(row.old.number) if row.old else None
    return tag("tr", cells, id=anchor, class_="changed" if row.changed else None)


def _cells(side: Side | None, mark: str) -> Iterator[Element]:
    """Yield the number of a line and the line, what differs in it marked."""
    if side is None:
        yield tag("td", class_="none")
        yield tag("td", class_="none")
    else:
        middle = tag(mark, side.middle) if side.middle else ""
        yield tag("td", str(side.number), class_="line")
        yield tag("td", tag("code", side.before, middle, side.after), class_=mark)
