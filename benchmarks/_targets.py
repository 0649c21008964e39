"""What the measurements are to show: ratios to a rival of the same run, with the goal that each has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks._run import Row

__all__ = ["Target", "targets"]

RAW, PYZMQ, MODERN = "raw seqpacket", "pyzmq PAIR", "comch_next send/receive"
COMCH = ("comch_next tasks", MODERN)
COMPAT = ("compat objects", "compat flat")
BOTH = (64, 4080)


@dataclass(frozen=True)
class Target:
    """A ratio and its goal; `kind` is must or hope, `bound` is at most or at least."""

    name: str
    ratio: float
    bound: str
    goal: float
    kind: str

    @property
    def met(self) -> bool:
        return self.ratio <= self.goal if self.bound == "at most" else self.ratio >= self.goal

    def as_json(self) -> dict[str, object]:
        return {**vars(self), "met": self.met}


@dataclass(frozen=True)
class Wish:
    """A line of the table below: a measure of some rivals, as a multiple of another rival's."""

    measure: str
    ours: tuple[str, ...]
    theirs: str
    sizes: tuple[int, ...]
    bound: str
    goal: float
    kind: str


WISHES = (
    Wish("round trip", COMCH + COMPAT, RAW, BOTH, "at most", 1.0, "must"),
    Wish("one way", COMCH, RAW, (64,), "at least", 1.0, "must"),
    Wish("one way", COMCH, PYZMQ, (4080,), "at least", 2.0, "must"),
    Wish("one way", COMCH, PYZMQ, (64,), "at least", 1.0, "hope"),
    Wish("round trip", COMPAT, MODERN, BOTH, "at most", 1.15, "hope"),
)
IDLE_GOAL = 0.01  # of a processor


def targets(rows: Sequence[Row], idle_share: float) -> list[Target]:
    """Every target of the run. A ratio is the median of the rounds' ratios: in a round all met the same machine."""
    found = {(row.name, row.size): row for row in rows}
    result = [target for wish in WISHES for target in _fulfil(wish, found)]
    return [*result, Target("blocking receive, idle: share of a core", idle_share, "at most", IDLE_GOAL, "must")]


def _fulfil(wish: Wish, rows: Mapping[tuple[str, int], Row]) -> Iterator[Target]:
    for size in wish.sizes:
        theirs = rows[wish.theirs, size]
        for name in wish.ours:
            ours = rows[name, size]
            pairs = zip(_values(ours, wish.measure), _values(theirs, wish.measure), strict=True)
            title = f"{wish.measure} {size} B: {name} / {wish.theirs}"
            yield Target(title, median(a / b for a, b in pairs), wish.bound, wish.goal, wish.kind)


def _values(row: Row, measure: str) -> tuple[float, ...]:
    return row.p50_us if measure == "round trip" else row.rate
