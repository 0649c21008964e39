"""Results of a run that nobody made."""

from __future__ import annotations

from typing import Any

from benchmarks._compiled import COMPILED
from benchmarks._crowded import CROWDED
from benchmarks._death import SURVIVORS
from benchmarks._findings import Findings, Row, Series
from benchmarks._plan import Plan
from benchmarks._report import content_of
from benchmarks._storm import SERVERS
from benchmarks._targets import targets
from benchmarks.rivals import CARRIERS, IMMEDIATE, RIVALS, SLEEPERS

TINY = Plan(rounds=1, pings=20, messages=50, warm_up=1, sleeps=20, crowd=5, storms=1, kills=2, idle_s=0.1, large=3)
MEASURED = [
    *((name, size) for name in (*RIVALS, *COMPILED) for size in TINY.sizes),
    *((name, size) for name in SLEEPERS for size in TINY.sizes),
    *((name, size) for name in IMMEDIATE for size in TINY.immediate().sizes),
    *((name, size) for name in CARRIERS for size in TINY.bulk().sizes),
]


def rows(slow: str) -> list[Row]:
    """Made-up rows in which one rival takes twice the time of all others."""
    return [
        Row(
            name,
            size,
            *(((2.0, 4.0), (3.0, 6.0), (5.0, 2.5)) if name == slow else ((1.0, 2.0), (1.5, 3.0), (10.0, 5.0))),
        )
        for name, size in MEASURED
    ]


def findings(slow: str = "none") -> Findings:
    """A run in which all is well but for one rival."""
    crowded = [
        Row(name, 64, p50, p50, (0.0, 0.0), idle)
        for name in CROWDED
        for p50, idle in (((2.0, 4.0), 0), ((2.3, 4.6), 5))
    ]
    storms = [Series(name, (900.0, 1999.0)) for name in SERVERS]
    deaths = [Series(name, (*[1.0] * 197, 4.0, 4.5, 90.0)) for name in SURVIVORS]
    asleep = [row for row in rows(slow) if row.name in SLEEPERS]
    return Findings(
        [row for row in rows(slow) if row.name not in SLEEPERS],
        asleep,
        crowded,
        storms,
        deaths,
        0.0,
        1.0,
        {},
        {"tree_s": 4.0},
    )


def content(number: int = 1, day: int = 1, slow: str = "none") -> dict[str, Any]:
    """What is written of a run of that commit."""
    where = {"processor": "Made-up processor", "cpus": 2, "python": "3.11.0", "load": 0.5 * number}
    commit = {"id": f"{number:040x}", "date": f"2026-01-{day:02}T12:00:00+01:00", "changed": False}
    found = findings(slow)
    return content_of(where, f"2026-02-{day:02} 12:00 UTC", commit, found, targets(found))
