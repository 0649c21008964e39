"""What a run has found: values per round and per event, from which the report takes medians and percentiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

__all__ = ["Findings", "Row", "Series"]


@dataclass(frozen=True)
class Row:
    """One rival at one message size; a value per round."""

    name: str
    size: int
    p50_us: tuple[float, ...]
    p99_us: tuple[float, ...]
    rate: tuple[float, ...]  # messages per second, one way; 0 where that was not measured
    idle: int = 0  # clients that were connected to the same server and silent

    def as_json(self) -> dict[str, object]:
        """The medians, and what they were taken from."""
        medians = {key: median(getattr(self, key)) for key in ("p50_us", "p99_us", "rate")}
        rounds = {key: getattr(self, key) for key in medians}
        return {"name": self.name, "size": self.size, "idle": self.idle, **medians, "rounds": rounds}


@dataclass(frozen=True)
class Series:
    """The milliseconds of each of several events of one kind."""

    name: str
    ms: tuple[float, ...]

    def percentile(self, percent: int) -> float:
        """The value that so many of a hundred do not exceed; 100 gives the longest."""
        return sorted(self.ms)[-(-len(self.ms) * percent // 100) - 1]

    def as_json(self) -> dict[str, object]:
        percentiles = {f"p{percent}_ms": self.percentile(percent) for percent in (50, 99, 100)}
        return {"name": self.name, "times": len(self.ms), **percentiles}


@dataclass(frozen=True)
class Findings:
    """A whole run. `absent` is what could not be measured, and why."""

    spinning: Sequence[Row]
    sleeping: Sequence[Row]
    crowded: Sequence[Row]
    storms: Sequence[Series]
    deaths: Sequence[Series]
    idle_share: float | None
    large_receive: float | None  # of the largest message, in copies of as many bytes
    absent: Mapping[str, str]
    migrate: Mapping[str, float]  # seconds, rates and megabytes; empty where that failed

    def as_json(self) -> dict[str, object]:
        tables = {key: getattr(self, key) for key in ("spinning", "sleeping", "crowded", "storms", "deaths")}
        mappings = {key: dict(getattr(self, key)) for key in ("absent", "migrate")}
        shares = {key: getattr(self, key) for key in ("idle_share", "large_receive")}
        return {key: [row.as_json() for row in rows] for key, rows in tables.items()} | mappings | shares
