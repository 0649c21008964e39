"""The tables that a person reads, and the file that a program reads."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks._findings import Findings, Row, Series
from benchmarks._targets import Target
from tools.bench_picture import picture

__all__ = ["content_of", "machine", "show", "write"]


def machine() -> dict[str, object]:
    """Where the numbers come from."""
    return {
        "processor": _processor(),
        "cpus": len(os.sched_getaffinity(0)),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "load": os.getloadavg()[0],  # of the last minute; well below 1, or others had a share of the numbers
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def show(console: Console, found: Findings, reached: Sequence[Target]) -> None:
    """Every table: medians of the rounds, percentiles of the events, and the targets."""
    console.print(_pairs("spinning, two pinned processes", found.spinning))
    for name, why in found.absent.items():
        console.print(f"{name}: not measured: {why}", style="yellow", markup=False, soft_wrap=True)
    console.print(_pairs("asleep in epoll, two pinned processes", found.sleeping))
    console.print(_pairs("among silent clients of the same server", found.crowded))
    console.print(_events("connect storm, from the start signal until all are connected on both sides", found.storms))
    console.print(_events("death notice, from kill -9 until the survivor's API tells", found.deaths))
    console.print(_goals(reached))


def _pairs(title: str, rows: Sequence[Row]) -> Table:
    """Columns that hold nothing are left out."""
    columns: dict[str, Callable[[Row], str]] = {
        "bytes": lambda row: str(row.size),
        "silent": lambda row: str(row.idle),
        "p50 µs": lambda row: f"{median(row.p50_us):.2f}",
        "p99 µs": lambda row: f"{median(row.p99_us):.2f}",
        "one way 1000/s": lambda row: f"{median(row.rate) / 1000:.0f}",
    }
    kept = {heading for heading, cell in columns.items() if any(cell(row) != "0" for row in rows)}
    table = _table(title, "rival", *(heading for heading in columns if heading in kept))
    for size in sorted({row.size for row in rows}):
        for row in (row for row in rows if row.size == size):
            table.add_row(row.name, *(cell(row) for heading, cell in columns.items() if heading in kept))
        table.add_section()
    return table


def _events(title: str, series: Sequence[Series]) -> Table:
    table = _table(title, "way", "times", "p50 ms", "p99 ms", "longest ms")
    for each in series:
        table.add_row(each.name, str(len(each.ms)), *(f"{each.percentile(percent):.2f}" for percent in (50, 99, 100)))
    return table


def _goals(reached: Sequence[Target]) -> Table:
    table = _table("targets", "ratio, or what is said", "value")
    table.add_column("goal")
    table.add_column("met")
    for target in reached:
        met = "[green]yes[/]" if target.met else "[bold red]no[/]" if target.kind == "must" else "[yellow]no[/]"
        sign = "≤" if target.bound == "at most" else "≥"
        value = "not measured" if target.value is None else f"{target.value:.3f}"
        table.add_row(target.name, value, f"{target.kind} {sign} {target.goal:g}", met)
    return table


def _table(title: str, first: str, *numbers: str) -> Table:
    table = Table(first, title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in numbers:
        table.add_column(heading, justify="right")
    return table


def content_of(
    where: Mapping[str, object],
    date: str,
    commit: Mapping[str, object] | None,
    found: Findings,
    reached: Sequence[Target],
) -> dict[str, object]:
    """{"date": ..., "commit": ..., "machine": ..., "targets": [...]} and the tables of Findings.as_json."""
    targets = [target.as_json() for target in reached]
    return {"date": date, "commit": commit, "machine": where, **found.as_json(), "targets": targets}


def write(path: Path, content: Mapping[str, object]) -> Path:
    """Write the numbers, and a picture of them beside, whose path is returned."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    drawn = path.with_suffix(".svg")
    drawn.write_text(picture(content), encoding="utf-8")
    return drawn
