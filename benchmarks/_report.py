"""The tables that a person reads, and the file that a program reads."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks._run import Row
from benchmarks._targets import Target

__all__ = ["machine", "show", "write"]


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


def show(console: Console, rows: Sequence[Row], found: Sequence[Target]) -> None:
    """Both tables: the medians of the rounds, and the targets."""
    table = _table("spinning, two pinned processes", "rival")
    for heading in ("bytes", "p50 µs", "p99 µs", "one way 1000/s"):
        table.add_column(heading, justify="right")
    for size in sorted({row.size for row in rows}):
        for row in (row for row in rows if row.size == size):
            table.add_row(row.name, str(size), *_cells(row))
        table.add_section()
    console.print(table)

    table = _table("targets", "ratio of")
    table.add_column("ratio", justify="right")
    table.add_column("goal")
    table.add_column("met")
    for target in found:
        met = "[green]yes[/]" if target.met else "[bold red]no[/]" if target.kind == "must" else "[yellow]no[/]"
        sign = "≤" if target.bound == "at most" else "≥"
        table.add_row(target.name, f"{target.ratio:.3f}", f"{target.kind} {sign} {target.goal:g}", met)
    console.print(table)


def _table(title: str, first: str) -> Table:
    return Table(first, title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))


def _cells(row: Row) -> list[str]:
    return [f"{median(row.p50_us):.2f}", f"{median(row.p99_us):.2f}", f"{median(row.rate) / 1000:.0f}"]


def write(path: Path, where: Mapping[str, object], rows: Sequence[Row], found: Sequence[Target]) -> None:
    """{"machine": ..., "rows": [...], "targets": [...]}."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {
        "machine": where,
        "rows": [row.as_json() for row in rows],
        "targets": [target.as_json() for target in found],
    }
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
