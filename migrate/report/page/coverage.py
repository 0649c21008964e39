"""How many references to the old API there are and what becomes of them, by file and by symbol."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from migrate.outcome import Finding
from migrate.report.page.links import Links, Shown, codes
from migrate.report.page.markup import Element, joined, tag
from migrate.report.page.sheet import section, table
from migrate.report.run import Counts, Run, counted

_PARTS = {"changed": "rewritten", "causes": "need you", "waiting": "wait for those"}
_HEADS = (
    "old references",
    *(joined(tag("span", class_=f"key {name}", aria_hidden="true"), head) for name, head in _PARTS.items()),
    tag("span", "share", class_="share"),
)


def files(run: Run, links: Links) -> Iterator[Element]:
    """Yield the table of the files."""
    if links.files:
        rows = [_row(_file(run, file), file.outcome.findings, id=file.id) for file in links.files.values()]
        everything = [finding for file in links.files.values() for finding in file.outcome.findings]
        total = _row(tag("th", "all files", scope="row"), everything) if len(rows) > 1 else Element("")
        yield section("Files", table(("file", *_HEADS), [*rows, total]))


def symbols(run: Run) -> Iterator[Element]:
    """Yield the table of the symbols, those with most that is left first."""
    found = sorted((finding for outcome in run.outcomes for finding in outcome.findings), key=_symbol)
    groups = [(name, list(findings)) for name, findings in groupby(found, key=_symbol)]
    known = [(name, findings) for name, findings in groups if name and any(_parts(Counts.of(findings)))]
    if known:
        rows = [_row(tag("th", name, scope="row"), findings) for name, findings in sorted(known, key=_most_left)]
        shown = tag("details", tag("summary", counted(len(rows), "symbol")), table(("symbol", *_HEADS), rows))
        yield section("Symbols", shown)


def _symbol(finding: Finding) -> str:
    return finding.name


def _most_left(group: tuple[str, list[Finding]]) -> tuple[int, str]:
    counts = Counts.of(group[1])
    return -counts.causes - counts.waiting, group[0]


def _file(run: Run, file: Shown) -> Element:
    name = run.name(file.outcome.path)
    state = "written" if file.outcome.path in run.written else "" if file.outcome.changed else "stays as it is"
    link = tag("a", name, href=f"#{file.diff_id}") if file.hunks else tag("span", name)
    return tag("th", link, tag("small", f" {state}" if state else ""), scope="row")


def _row(head: Element, findings: list[Finding] | tuple[Finding, ...], **attributes: str) -> Element:
    parts = _parts(Counts.of(findings))
    numbers = (tag("td", str(number) if number else "·", class_="number") for number in (sum(parts), *parts))
    return tag("tr", head, *numbers, tag("td", bar(parts)), data_codes=codes(findings) or None, **attributes)


def _parts(counts: Counts) -> tuple[int, ...]:
    return tuple(getattr(counts, name) for name in _PARTS)


def bar(parts: tuple[int, ...]) -> Element:
    """Return a bar whose parts are as long as the numbers are large."""
    shown = (
        tag("span", class_=name, style=f"flex-grow:{number}")
        for name, number in zip(_PARTS, parts, strict=True)
        if number
    )
    return tag("div", *shown, class_="bar", aria_hidden="true")
