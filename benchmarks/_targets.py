"""What the measurements are to show: mostly ratios to a rival of the same run, with the goal that each has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median

from benchmarks._crowded import CROWDED
from benchmarks._death import BARE, SURVIVORS
from benchmarks._findings import Findings, Row, Series
from benchmarks._plan import BULK_SIZE, FULL, IMMEDIATE_SIZE
from benchmarks._storm import SERVERS

__all__ = ["Pair", "Target", "targets"]

RAW, RAW_ASLEEP, PYZMQ = "raw seqpacket", "raw seqpacket, epoll", "pyzmq PAIR"
TASKS, MODERN, PORT = "comch_next tasks", "comch_next send/receive", "comch_next PullPort"
FAST_PATH, BULK, COPY = "comch_next fast path", "comch_next fast path, bulk", "memcpy"
IMMEDIATE, QUEUE = "comch_next immediate data", "comch_next message queue"
OBJECTS, FLAT = "compat objects", "compat flat"
ASLEEP = ("comch_next engine, epoll", "comch_next recv_fd, epoll", "compat event channel, epoll")
COMCH, COMPAT = (TASKS, MODERN), (OBJECTS, FLAT)
BOTH = (64, 4080)


@dataclass(frozen=True)
class Pair:
    """The two rows whose ratio a target is; `size` is in bytes."""

    measure: str
    ours: str
    theirs: str
    size: int


@dataclass(frozen=True)
class Target:
    """A value and its goal; `kind` is must or hope, `bound` is at most or at least. None: it was not measured."""

    name: str
    value: float | None
    bound: str
    goal: float
    kind: str
    pair: Pair | None = None  # of which it is the ratio

    @property
    def met(self) -> bool:
        if self.value is None:
            return False
        return self.value <= self.goal if self.bound == "at most" else self.value >= self.goal

    def as_json(self) -> dict[str, object]:
        return {**asdict(self), "met": self.met}


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
    Wish("round trip", (TASKS,), RAW, (64,), "at most", 0.65, "must"),
    Wish("round trip", (MODERN, *COMPAT), RAW, (64,), "at most", 0.45, "must"),
    Wish("round trip", (PORT,), RAW, (64,), "at most", 0.3, "must"),
    Wish("round trip", (FAST_PATH,), RAW, (64,), "at most", 1.6, "must"),
    Wish("round trip", COMCH + COMPAT, RAW, (4080,), "at most", 1.0, "must"),
    Wish("round trip", ASLEEP, RAW_ASLEEP, BOTH, "at most", 1.1, "must"),
    Wish("one way", (TASKS,), RAW, (64,), "at least", 1.3, "must"),
    Wish("one way", (MODERN, OBJECTS), RAW, (64,), "at least", 2.2, "must"),
    Wish("one way", (FLAT,), RAW, (64,), "at least", 1.8, "must"),
    Wish("one way", (MODERN,), PYZMQ, (64,), "at least", 1.2, "must"),
    Wish("one way", COMCH, PYZMQ, (4080,), "at least", 2.0, "must"),
    Wish("one way", (TASKS,), PYZMQ, (64,), "at least", 1.0, "hope"),
    Wish("round trip", (QUEUE,), IMMEDIATE, (IMMEDIATE_SIZE,), "at most", 1.5, "hope"),
    Wish("one way", (BULK,), COPY, (BULK_SIZE,), "at least", 0.8, "must"),
    Wish("round trip", COMPAT, MODERN, BOTH, "at most", 1.15, "hope"),
    Wish("round trip", ("C program, sendto",), OBJECTS, (64,), "at most", 3.0, "must"),
    Wish("round trip", ("C program, tasks",), TASKS, (64,), "at most", 3.0, "must"),
    Wish("round trip", ("cffi script",), OBJECTS, (64,), "at most", 2.0, "must"),
    Wish("round trip", ("comch_next tasks, native",), TASKS, (64,), "at most", 4.0, "must"),
)
CROWD_GOAL = 1.2  # a round trip among silent clients, as a multiple of one alone
STORM_GOAL_MS = 2000.0
DEATH_GOAL_MS = 5.0
IDLE_GOAL = 0.01  # of a processor
LARGE_GOAL = 1.3  # copies: half of the 2.6 that it took when every message went through a buffer


def targets(found: Findings) -> list[Target]:
    """Every target of the run. A ratio is the median of the rounds' ratios: in a round all met the same machine."""
    rows = {(row.name, row.size): row for row in (*found.spinning, *found.sleeping)}
    return [
        *(target for wish in WISHES for target in _fulfil(wish, rows)),
        *_among_the_silent(found.crowded),
        *_longest(found.storms),
        *_soon(found.deaths),
        Target("blocking receive, idle: share of a core", found.idle_share, "at most", IDLE_GOAL, "must"),
        Target(
            "receive 65535 B: comch_next / a copy of as many bytes", found.large_receive, "at most", LARGE_GOAL, "must"
        ),
    ]


def _fulfil(wish: Wish, rows: Mapping[tuple[str, int], Row]) -> Iterator[Target]:
    for size in wish.sizes:
        theirs = rows.get((wish.theirs, size))
        for name in wish.ours:
            title = f"{wish.measure} {size} B: {name} / {wish.theirs}"
            ours = rows.get((name, size))
            value = None if ours is None or theirs is None else _ratio(wish.measure, ours, theirs)
            yield Target(title, value, wish.bound, wish.goal, wish.kind, Pair(wish.measure, name, wish.theirs, size))


def _ratio(measure: str, ours: Row, theirs: Row) -> float:
    return median(a / b for a, b in zip(_values(ours, measure), _values(theirs, measure), strict=True))


def _values(row: Row, measure: str) -> tuple[float, ...]:
    return row.p50_us if measure == "round trip" else row.rate


def _among_the_silent(crowded: Sequence[Row]) -> Iterator[Target]:
    size, most = FULL.sizes[0], max((row.idle for row in crowded), default=FULL.crowd)
    rows = {(row.name, row.idle): row for row in crowded}
    for name in CROWDED:
        title = f"round trip {size} B: {name}, among {most} silent clients / alone"
        alone, among = rows.get((name, 0)), rows.get((name, most))
        value = None if alone is None or among is None else _ratio("round trip", among, alone)
        pair = Pair("round trip", f"{name}, {most} silent", name, size)
        yield Target(title, value, "at most", CROWD_GOAL, "must", pair)


def _longest(storms: Sequence[Series]) -> Iterator[Target]:
    longest = {series.name: series.percentile(100) for series in storms}
    for name in SERVERS:
        yield Target(f"connect storm, {name}: longest, ms", longest.get(name), "at most", STORM_GOAL_MS, "must")


def _soon(deaths: Sequence[Series]) -> Iterator[Target]:
    p99 = {series.name: series.percentile(99) for series in deaths}
    for name in SURVIVORS:
        if name != BARE:
            yield Target(f"death notice, {name}: p99, ms", p99.get(name), "at most", DEATH_GOAL_MS, "must")
