"""The report on a terminal: a tree for each cause with the references that depend on it, and the rest by file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TextIO

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from migrate.codes import CODES
from migrate.outcome import Finding, Level
from migrate.report.causes import causes, notes
from migrate.report.run import Counts, Run, counted, printable
from migrate.report.text import ending, listed, place, said

_STYLES = {Level.MANUAL: "red", Level.NEEDS_EVIDENCE: "yellow"}


def text(run: Run, stream: TextIO) -> str:
    """Return the report, as wide and in the colours that a terminal has."""
    console = Console(file=stream, highlight=False, emoji=False, markup=False)
    with console.capture() as captured:
        for part in _parts(run):
            console.print(part)
    return captured.get()


def _parts(run: Run) -> Iterator[RenderableType]:
    for cause, waiting in causes(run).items():
        yield _tree(run, cause, waiting)
    for (code, kind), findings in notes(run).items():
        files = len({finding.path for finding in findings})
        title = CODES[code].title if code in CODES else findings[0].message
        where = f"{counted(len(findings), 'place')} in {counted(files, 'file')}"
        yield _text(f"{code} {kind}: {title}: {where}", "dim")
    if any(outcome.findings or outcome.changed for outcome in run.outcomes):
        yield _table(run)
    for line in ending(run):
        yield _text(line.text, line.style)


def _tree(run: Run, cause: Finding, waiting: Sequence[Finding]) -> Tree:
    label = Text.assemble(
        (f"{printable(place(run, cause))} ", "bold"),
        (f"{printable(cause.code)} ", _STYLES.get(cause.level, "")),
        printable(said(cause)),
    )
    tree = Tree(label, guide_style="dim")
    for path, findings in groupby(waiting, key=lambda finding: finding.path):
        known = list(findings)
        tree.add(_text(f"{run.name(path)}: {counted(len(known), 'reference')} waiting, {listed(known)}"))
    return tree


def _table(run: Run) -> Table:
    """What becomes of each file, and the effort that is left."""
    table = Table(box=None, pad_edge=False, show_footer=True)
    total = Counts.of(finding for outcome in run.outcomes for finding in outcome.findings)
    table.add_column("file", footer=_text("all files", "bold"), overflow="fold")
    for name, number in zip(("rewritten", "need you", "wait"), _numbers(total), strict=True):
        table.add_column(name, footer=number, justify="right")
    for outcome in run.outcomes:
        if outcome.findings or outcome.changed:
            table.add_row(_text(run.name(outcome.path)), *_numbers(Counts.of(outcome.findings)))
    return table


def _numbers(counts: Counts) -> Iterator[Text]:
    for number, style in ((counts.changed, "green"), (counts.causes, "red"), (counts.waiting, "yellow")):
        yield _text(str(number), style if number else "dim")


def _text(words: str, style: str = "") -> Text:
    return Text(printable(words), style)
