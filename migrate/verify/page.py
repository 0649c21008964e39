"""The verdict as an HTML page: runs, differences, timelines, and what migrate made of the program."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence

from migrate.report import html
from migrate.report.page.markup import Element, joined, tag
from migrate.report.page.sheet import section, sheet, table
from migrate.report.run import counted
from migrate.verify import report, timeline
from migrate.verify.stage import Line
from migrate.verify.verdict import Divergence, Result, Run, Scene

_LEAST = 0.8  # of its size, at which a picture can still be read; below that it scrolls


def text(result: Result) -> str:
    """Return the page."""
    word = result.verdict.word
    lead = joined(tag("strong", word, class_=word), report.headline(result).removeprefix(word).rstrip(":"))
    parts = (*_differences(result), *_left_out(result), *_open(result), *_runs(result), *_scenes(result.scenes))
    programs = " and ".join(" ".join((str(peer.old.path), *peer.arguments)) for peer in result.peers)
    return sheet(f"Verification of {programs}", lead, [*parts, *html.sections(result.migration)])


def _differences(result: Result) -> Iterator[Element]:
    for title, divergences in (
        ("Differences, the first of each kind", result.divergences),
        ("Differences that are meant", result.coded),
    ):
        if divergences:
            yield section(title, tag("ul", *map(_difference, report.first_of_each(divergences))))


def _difference(divergence: Divergence) -> Element:
    sides = (joined(tag("dt", name), tag("dd", tag("code", event))) for name, event in report.sides(divergence))
    return tag("li", report.where(divergence), tag("dl", *sides))


def _left_out(result: Result) -> Iterator[Element]:
    if result.ignored:
        patterns = (tag("li", tag("code", pattern)) for pattern in result.ignored)
        yield section("Left out by --ignore", tag("ul", *patterns))


def _open(result: Result) -> Iterator[Element]:
    """Yield what keeps the verdict open."""
    stays = (f"{stays.path}:{stays.line}: stays old ({stays.code} {stays.message})" for stays in result.stays)
    items = [tag("li", words) for words in (*report.hints(result), *result.reasons, *stays)]
    if result.never_ran:
        calls = (tag("li", f"{call.path}:{call.line}: {call.name}") for call in result.never_ran)
        items.append(tag("li", report.never_ran(result), tag("ul", *calls)))
    if items:
        yield section("What is not proved", tag("ul", *items))


def _runs(result: Result) -> Iterator[Element]:
    """Yield the table of the runs: a row for each kind of faults, a column for each pairing."""
    pairings = list(dict.fromkeys(run.pairing for run in result.compared))
    faults = dict.fromkeys(run.faults for run in result.compared)
    if pairings:
        rows = (
            tag("tr", tag("th", kind or "none", scope="row"), *(_cell(result, kind, name) for name in pairings))
            for kind in faults
        )
        meant = [tag("p", "new-old: a new service and an old client")] if any("-" in name for name in pairings) else []
        title = "Runs, each compared with the old program"
        yield section(title, *meant, table(("faults", *pairings), list(rows)))


def _cell(result: Result, faults: str, pairing: str) -> Element:
    def is_meant(run: Run) -> bool:
        return (run.faults, run.pairing) == (faults, pairing)

    apart = sum(is_meant(divergence.run) for divergence in result.divergences)
    times = sum(map(is_meant, result.compared))
    words = counted(apart, "difference") if apart else "the same"
    return tag("td", f"{words} in {times} runs" if times > 1 else words, class_="diverged" if apart else "equivalent")


def _scenes(scenes: Sequence[Scene]) -> Iterator[Element]:
    shown = [_scene(scene) for scene in scenes]
    if shown:
        yield section("Timelines", *shown)


def _scene(scene: Scene) -> Element:
    """Draw the old program beside the run."""
    sides = (_figure(name, trace) for name, trace in (("old", scene.old), (scene.run.pairing, scene.new)))
    return joined(tag("h3", scene.run.words), tag("div", *sides, class_="pair"))


def _figure(name: str, trace: Sequence[Line]) -> Element:
    drawing = timeline.draw(trace)
    if drawing is None:
        return tag("figure", tag("figcaption", f"{name}: nothing on a channel"))
    source = f"data:image/svg+xml;base64,{base64.b64encode(drawing.picture.encode()).decode()}"
    least = f"min-width:{round(drawing.width * _LEAST)}px"
    left = f"; {drawing.left_out} later lines of the trace are left out" if drawing.left_out else ""
    lines = (part for line in drawing.text.splitlines() for part in (line, Element("\n")))
    return tag(
        "figure",
        tag("figcaption", f"{name}{left}"),
        tag("div", tag("img", src=source, alt=f"timeline of {name}, below as text", style=least), class_="scroll"),
        tag("details", tag("summary", "as text"), tag("pre", *lines)),
    )
