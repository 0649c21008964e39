"""The report as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from migrate.report.page import coverage, diffs, reasons
from migrate.report.page.links import Links
from migrate.report.page.markup import Element, tag
from migrate.report.page.sheet import sheet
from migrate.report.run import Run
from migrate.report.text import problems


def text(run: Run) -> str:
    """Return the page of a run."""
    return sheet("Migration report", run.summary(), sections(run))


def sections(run: Run) -> Sequence[Element]:
    """Return what the page shows of a run, in its order."""
    links = Links.of(run)
    trouble = [tag("li", line.text) for line in problems(run)]
    return [
        *([tag("section", tag("h2", "Problems"), tag("ul", *trouble))] if trouble else ()),
        *reasons.chooser(run),
        *coverage.files(run, links),
        *reasons.causes(run, links),
        *reasons.notes(run, links),
        *coverage.symbols(run),
        *diffs.diffs(run, links),
        *reasons.codes_meant(run),
    ]
