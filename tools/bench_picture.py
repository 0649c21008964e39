"""Draws what `make bench` has measured: round trips and rates by size, with their goals, and every target.

`content` is that of build/bench.json, see benchmarks._report. A table that it lacks is not drawn: docs/benchmarks.json
has the targets of docs/benchmarks.md only.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tools.charts import Goal, Panel, Row, draw, number

__all__ = ["NAME", "committed", "goal_words", "picture", "size_words", "where"]

NAME = "Speed beside other ways of sending"
DATA = Path(__file__).parent.parent / "docs" / "benchmarks.json"
LEGEND = (
    "Dot: the median; hollow where a goal is missed, filled where it is met or there is none. "
    "Line: up to the 99th percentile. Tick: the goal. Dashed: both are equal. All axes are logarithmic."
)

# Tables of rows, with what their ends do; tables of events.
PAIRS = {"spinning": "polling", "sleeping": "asleep in epoll", "crowded": "beside silent clients"}
EVENTS = {"storms": "Connect storm, ms", "deaths": "Death notice, ms"}
MEASURES = {"round trip": "p50_us", "one way": "rate"}
SIGNS = {"at most": "≤", "at least": "≥"}

Content = Mapping[str, Any]


def committed() -> str:
    """The text of docs/benchmarks.svg, from docs/benchmarks.json."""
    return picture(json.loads(DATA.read_text(encoding="utf-8")))


def picture(content: Content) -> str:
    """The text of an SVG with every row and target. Raises ValueError for a name that is too long for it."""
    return draw(
        NAME, [*where(content), LEGEND], [*_pairs(content), *_events(content), *_ratios(content), *_others(content)]
    )


def where(content: Content) -> list[str]:
    """The lines that say what the numbers are from: the machine, and when and of which commit, if that is known."""
    machine, commit = content["machine"], content.get("commit")
    lines = [f"{machine['processor']}, {machine['cpus']} CPUs, Python {machine['python']}"]
    if "date" in content:
        of = f", commit {commit['id'][:12]}{' and changes' if commit['changed'] else ''}" if commit else ""
        lines.append(f"Measured on {content['date']}{of}")
    lines += [f"Not measured: {name}" for name in content.get("absent", ())]
    return lines


def goal_words(target: Mapping[str, Any]) -> str:
    """A target's value beside its goal, if it has one."""
    value = "not measured" if target["value"] is None else number(target["value"])
    return value if target["goal"] is None else f"{value} ({SIGNS[target['bound']]} {target['goal']:g})"


def size_words(size: int) -> str:
    """A number of bytes."""
    return f"{size >> 20} MiB" if size and size % (1 << 20) == 0 else f"{size} B"


def _goals(target: Mapping[str, Any], unit: float = 1.0) -> tuple[Goal, ...]:
    return () if target["goal"] is None else (Goal(target["goal"] * unit, target["met"]),)


# Tables of rows


def _pairs(content: Content) -> Iterator[Panel]:
    for table, what in PAIRS.items():
        rows = content.get(table, ())
        for size in sorted({row["size"] for row in rows}):
            of_size = {_label(row): row for row in rows if row["size"] == size}
            yield Panel(f"{size_words(size)}, {what}: round trip, µs", tuple(_round_trips(of_size, content["targets"])))
            if rates := tuple(_rates(of_size, content["targets"])):
                yield Panel(f"{size_words(size)}, {what}: one way, 1000/s", rates)


def _label(row: Mapping[str, Any]) -> str:
    return f"{row['name']}, {row['idle']} silent" if row["idle"] else str(row["name"])


def _round_trips(rows: Mapping[str, Mapping[str, Any]], targets: Any) -> Iterator[Row]:
    for label, row in rows.items():
        p50, p99 = row["p50_us"], row["p99_us"]
        goals = tuple(_goals_of_row("round trip", label, rows, targets))
        yield Row(label, p50, f"{number(p50)} / {number(p99)}", p99, goals)


def _rates(rows: Mapping[str, Mapping[str, Any]], targets: Any) -> Iterator[Row]:
    for label, row in rows.items():
        if rate := row["rate"] / 1000:
            goals = tuple(Goal(goal.value / 1000, goal.met) for goal in _goals_of_row("one way", label, rows, targets))
            yield Row(label, rate, number(rate), goals=goals)


def _goals_of_row(measure: str, label: str, rows: Mapping[str, Mapping[str, Any]], targets: Any) -> Iterator[Goal]:
    """The goals of a row in its own unit: each is a multiple of another row's median."""
    for target in targets:
        pair = target["pair"]
        if pair is None or (pair["measure"], pair["ours"]) != (measure, label) or pair["theirs"] not in rows:
            continue
        theirs = rows[pair["theirs"]]
        if pair["size"] == theirs["size"]:
            yield from _goals(target, theirs[MEASURES[measure]])


# Tables of events


def _events(content: Content) -> Iterator[Panel]:
    for table, title in EVENTS.items():
        if rows := content.get(table):
            yield Panel(title, tuple(_event(row) for row in rows))


def _event(row: Mapping[str, Any]) -> Row:
    p50, p99 = row["p50_ms"], row["p99_ms"]
    return Row(row["name"], p50, f"{number(p50)} / {number(p99)}", p99)


# Targets


def _ratios(content: Content) -> Iterator[Panel]:
    """A panel for each measure and each rival that others are compared with; at 1 they are equal."""
    panels: dict[tuple[str, str], list[Row]] = {}
    for target in content["targets"]:
        if (pair := target["pair"]) is not None:
            row = Row(
                f"{pair['ours']}, {size_words(pair['size'])}", target["value"], goal_words(target), goals=_goals(target)
            )
            panels.setdefault((pair["measure"], pair["theirs"]), []).append(row)
    for (measure, theirs), rows in panels.items():
        yield Panel(f"{measure.capitalize()} relative to {theirs}", tuple(rows), reference=1.0)


def _others(content: Content) -> Iterator[Panel]:
    rows = tuple(_other(target) for target in content["targets"] if target["pair"] is None)
    if rows:
        yield Panel("Other targets, as multiples of their goals", rows)


def _other(target: Mapping[str, Any]) -> Row:
    value = target["value"]
    return Row(
        target["name"],
        None if value is None else value / target["goal"],
        goal_words(target),
        goals=_goals(target, 1 / target["goal"]),
    )
