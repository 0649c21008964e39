"""The runs of several commits, in build/bench-history: a file for each, and a picture of their trend."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from tools import charts
from tools.bench_picture import goal_words, where

__all__ = ["commit", "comparable", "keep", "load", "trend"]

Content = Mapping[str, Any]

NAME = "Speed by commit"
LEGEND = "A line for each target, from the oldest commit to the newest, each on an axis of its own; dashed: the goal."
SAME = ("processor", "cpus", "python")  # of runs that are compared
ROW, LINE = 30, 22  # heights: of a row, and of the line in it
_GIT_DEADLINE_S = 60.0


def commit(folder: Path) -> dict[str, object] | None:
    """{"id", "date", "changed"} of what is checked out there, "date" as of the commit; None where git knows of none."""
    shown = _git(folder, "show", "--no-patch", "--format=%H %cI", "HEAD")
    if shown is None:
        return None
    number, date = shown.split()
    date = date.replace("Z", "+00:00")  # as git says since 2.45, which Python 3.10 does not read
    return {"id": number, "date": date, "changed": bool(_git(folder, "status", "--porcelain", "--untracked-files=no"))}


def _git(folder: Path, *words: str) -> str | None:
    try:
        ended = subprocess.run(
            ["git", *words], cwd=folder, capture_output=True, text=True, timeout=_GIT_DEADLINE_S, check=False
        )
    except FileNotFoundError:
        return None
    return None if ended.returncode else ended.stdout.strip()


def keep(folder: Path, content: Content) -> Path:
    """Write a run as its commit's, instead of an earlier one."""
    of = content["commit"]
    path = folder / f"{of['id'][:12]}{'-changed' if of['changed'] else ''}.json"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return path


def load(folder: Path) -> list[dict[str, Any]]:
    """All runs that were kept, in the order of their commits."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("*.json")]
    return sorted(found, key=_order)


def _order(content: Content) -> tuple[Any, ...]:
    of = content["commit"]
    return datetime.fromisoformat(of["date"]), of["changed"], of["id"]


def comparable(runs: Sequence[Content]) -> list[Content]:
    """Those on the machine and Python of the newest measurement."""
    newest = max(runs, key=lambda run: str(run["date"]), default=None)
    return [] if newest is None else [run for run in runs if _machine(run) == _machine(newest)]


def _machine(run: Content) -> tuple[object, ...]:
    return tuple(run["machine"][name] for name in SAME)


def trend(runs: Sequence[Content]) -> str:
    """The text of an SVG with a line for each target of the last run."""
    last = runs[-1]
    shown = ", ".join(f"{run['commit']['id'][:8]}{' and changes' if run['commit']['changed'] else ''}" for run in runs)
    lines, y = charts.begin(NAME, [where(last)[0], f"Commits: {shown}", LEGEND])
    names = [target["name"] for target in last["targets"]]
    words = [goal_words(target) for target in last["targets"]]
    left = charts.EDGE + max(charts.text_width(name, charts.LABEL) for name in names) + charts.PAD
    right = charts.WIDTH - charts.EDGE - max(charts.text_width(word, charts.LABEL) for word in words) - charts.PAD
    if right - left < charts.SHORTEST_AXIS:
        raise ValueError("the name of a target is too long for a picture")
    places = [left + (right - left) * number / max(1, len(runs) - 1) for number in range(len(runs))]
    for target, word in zip(last["targets"], words, strict=True):
        lines.append(charts.text(target["name"], charts.EDGE, y + LINE / 2 + 4))
        lines.append(charts.text(word, charts.WIDTH - charts.EDGE, y + LINE / 2 + 4, "end"))
        lines += _line(target, [_value(run, target["name"]) for run in runs], places, y)
        y += ROW
    return charts.end(lines, y + charts.EDGE)


def _value(run: Content, name: str) -> float | None:
    """What a target was in a run, None where that had no such target or did not measure it."""
    return next((target["value"] for target in run["targets"] if target["name"] == name), None)


def _line(
    target: Mapping[str, Any], values: Sequence[float | None], places: Sequence[float], top: float
) -> Iterator[str]:
    known = [(x, value) for x, value in zip(places, values, strict=True) if value is not None]
    goals = [charts.Goal(target["goal"], target["met"])]
    axis = charts.Axis.around([target["goal"], *(value for _, value in known)], 0, LINE)
    level = top + LINE - axis.place(target["goal"])
    yield charts.line("one", places[0], level, places[-1], level)
    points = [(x, top + LINE - axis.place(value)) for x, value in known]
    yield f'  <polyline class="spread" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'
    for number, (x, y) in enumerate(points, 1):
        newest = number == len(points) and values[-1] is not None
        yield charts.circle(charts.mark(goals) if newest else "plain", x, y)
