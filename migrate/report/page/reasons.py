"""Why references stay old, with what follows from it; notes; and what the codes mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from migrate.codes import CODES
from migrate.outcome import Finding
from migrate.report import causes as why
from migrate.report.page.links import Links, code_link, codes
from migrate.report.page.markup import Element, joined, prose, tag
from migrate.report.page.sheet import section
from migrate.report.run import Run, counted


def chooser(run: Run) -> Iterator[Element]:
    """Yield what chooses a code to see; the script shows it."""
    found = Counter(finding.code for outcome in run.outcomes for finding in outcome.findings if finding.code)
    if found:
        options = (tag("option", f"{code} ({found[code]})", value=code) for code in sorted(found))
        choice = tag("select", tag("option", "all codes", value=""), *options)
        yield tag("form", tag("label", "Show ", choice), id="filter", hidden="")


def causes(run: Run, links: Links) -> Iterator[Element]:
    """Yield what needs you, and under each cause what waits for it."""
    found = why.causes(run)
    if found:
        items = (_cause(links, cause, follow) for cause, follow in found.items())
        yield section(f"What needs you: {counted(len(found), 'cause')}", tag("ul", *items, class_="causes"))


def _cause(links: Links, cause: Finding, follow: Sequence[Finding]) -> Element:
    said = joined(
        links.place(cause),
        " ",
        code_link(cause.code),
        " ",
        tag("em", cause.level.value, class_=cause.level.value),
        " ",
        *_said(cause),
    )
    if follow:
        waiting = (tag("li", links.place(finding), " ", *_said(finding)) for finding in follow)
        fold = tag("details", tag("summary", f"{counted(len(follow), 'reference')} waiting"), tag("ul", *waiting))
        said = joined(said, fold)
    return tag("li", said, data_codes=codes([cause, *follow]))


def _said(finding: Finding) -> Iterator[str]:
    if finding.name:
        yield tag("code", finding.name)
        yield " "
    yield finding.message


def notes(run: Run, links: Links) -> Iterator[Element]:
    """Yield what asks for nothing but may interest, by code."""
    found = why.notes(run)
    if found:
        folds = (_fold(links, code, kind, findings) for (code, kind), findings in found.items())
        yield section("Notes on what is rewritten", *folds)


def _fold(links: Links, code: str, kind: str, findings: Sequence[Finding]) -> Element:
    """One text holds for many places, so they stand behind it."""
    title = CODES[code].title if code in CODES else ""
    lines: dict[Element, list[Element]] = {}
    for finding in findings:
        words = joined(finding.message)
        lines.setdefault(words, [words]).append(links.place(finding))
    items = (tag("li", *(joined(part, " ") for part in parts)) for parts in lines.values())
    where = f" {title} ({counted(len(findings), 'place')})"
    summary = tag("summary", tag("span", code, class_="code"), " ", tag("em", kind, class_=kind), where)
    return tag("details", summary, tag("ul", *items), data_codes=code)


def codes_meant(run: Run) -> Iterator[Element]:
    """Yield what the codes of a run mean."""
    found = Counter(finding.code for outcome in run.outcomes for finding in outcome.findings if finding.code in CODES)
    if found:
        yield section("Codes", *(_meaning(code) for code in sorted(found)))


def _meaning(code: str) -> Element:
    page = CODES[code]
    head = tag("h3", tag("span", code, class_="code"), f" {page.title}", id=code)
    return tag("article", head, tag("p", prose(page.explanation)), tag("p", prose(page.advice)), data_codes=code)
