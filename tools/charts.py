"""Draws numbers as SVG, for light and dark pages: panels of rows, each a dot on its panel's logarithmic axis."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from xml.sax.saxutils import escape

__all__ = [
    *("EDGE", "LABEL", "PAD", "SHORTEST_AXIS", "WIDTH"),
    *("Axis", "Goal", "Panel", "Row"),
    *("begin", "circle", "draw", "end", "line", "mark", "number", "text", "text_width"),
]

OVERVIEW = Path(__file__).parent.parent / "docs" / "overview.svg"
WIDTH = 1000  # of every picture; lengths are in the picture's units
EDGE = 20  # between the page's edge and what is drawn
GAP = 28  # between panels side by side, and one below the other
HALF = (WIDTH - 2 * EDGE - GAP) / 2
FULL = WIDTH - 2 * EDGE
TITLE, LABEL = 14.0, 12.5  # sizes of the font
TITLE_SPACE, ROW, TICKS = 26, 20, 22  # heights: of a panel's title, of a row, of the axis below them
SHORTEST_AXIS = 100
PAD = 10  # between a label, the axis and the values
TICK_GAP = 10  # between the names of two ticks

STYLE = """  <style>
    .grid { stroke: #e3e9ee }
    .one { stroke: #8796a5; stroke-dasharray: 4 3 }
    .goal { stroke: #b26a00; stroke-width: 2.5 }
    .spread { stroke: #2563a8; stroke-width: 2; fill: none }
    .plain { fill: #2563a8; stroke: #2563a8; stroke-width: 2 }
    .met { fill: #2f7d43; stroke: #2f7d43; stroke-width: 2 }
    .missed { fill: #ffffff; stroke: #b3261e; stroke-width: 2 }
    @media (prefers-color-scheme: dark) {
      .grid { stroke: #27313c }
      .one { stroke: #6f7f8f }
      .goal { stroke: #e9a23b }
      .spread { stroke: #6fb1f5 }
      .plain { fill: #6fb1f5; stroke: #6fb1f5 }
      .met { fill: #5fb878; stroke: #5fb878 }
      .missed { fill: #10161d; stroke: #ff8a80 }
    }
  </style>
"""


@dataclass(frozen=True)
class Goal:
    """Where a row's value is to be, on one side of `value`."""

    value: float
    met: bool


@dataclass(frozen=True)
class Row:
    """A line of a panel. `value` is the dot, None where nothing was measured; `high` is where a line from it ends."""

    label: str
    value: float | None
    words: str  # at the right
    high: float | None = None
    goals: tuple[Goal, ...] = ()


@dataclass(frozen=True)
class Panel:
    """Rows on one axis; `reference` is a value at which a line goes through all of them."""

    title: str
    rows: tuple[Row, ...]
    reference: float | None = None

    @property
    def label_width(self) -> float:
        return max(text_width(row.label, LABEL) for row in self.rows)

    @property
    def words_width(self) -> float:
        return max(text_width(row.words, LABEL) for row in self.rows)

    @property
    def needed(self) -> float:
        """The width without which a text would not fit."""
        return max(text_width(self.title, TITLE), self.label_width + self.words_width + 2 * PAD + SHORTEST_AXIS)

    @property
    def height(self) -> float:
        return TITLE_SPACE + ROW * len(self.rows) + TICKS


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis from `low` to `high`, both above 0, drawn from `left` on."""

    low: float
    high: float
    left: float
    width: float

    @classmethod
    def around(cls, values: Sequence[float], left: float, width: float) -> Axis:
        """An axis with all values above 0 on it, and at least one tick."""
        known = [value for value in values if value > 0] or [1.0]
        low, high = min(known) / 1.15, max(known) * 1.15
        wider = max(1.0, math.sqrt(2.6 / (high / low)))  # no two ticks are further apart than 2.5
        return cls(low / wider, high * wider, left, width)

    def place(self, value: float) -> float:
        """Where a value is; one that is too small for the axis, as 0, is at its beginning."""
        value = max(value, self.low)
        return self.left + self.width * math.log(value / self.low) / math.log(self.high / self.low)

    def ticks(self) -> list[float]:
        """The values that are named: as many of 1, 2 and 5 times powers of ten as have room."""
        decades = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        ticks: list[float] = []
        for digits in ((1, 2, 5), (1, 3), (1,)):
            values = (digit * 10.0**decade for decade in decades for digit in digits)
            ticks = [value for value in values if self.low <= value <= self.high] or ticks
            if self._closest(ticks) >= _room(ticks):
                return ticks
        return ticks[:: math.ceil(_room(ticks) / self._closest(ticks))]

    def _closest(self, ticks: Sequence[float]) -> float:
        places = [self.place(tick) for tick in ticks]
        return min((after - before for before, after in pairwise(places)), default=math.inf)


def _room(ticks: Sequence[float]) -> float:
    """What each tick needs for its name."""
    return TICK_GAP + max(text_width(f"{tick:g}", LABEL) for tick in ticks)


def text_width(words: str, size: float) -> float:
    """At most so wide is a text in the widest of the picture's fonts; titles are bold."""
    return len(words) * size * (0.62 if size == TITLE else 0.58)


def number(value: float) -> str:
    """Three digits of a value, or all before the point."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def text(words: str, x: float, y: float, anchor: str = "start", kind: str = "soft") -> str:
    return f'  <text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'  <line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def circle(kind: str, x: float, y: float) -> str:
    return f'  <circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'


def draw(title: str, notes: Sequence[str], panels: Sequence[Panel]) -> str:
    """A picture of all panels, two side by side where both have room. Raises ValueError for a text that is too long."""
    lines, y = begin(title, notes)
    for band in _bands(panels):
        width = HALF if len(band) == 2 else FULL
        for place, panel in enumerate(band):
            lines += _panel(panel, EDGE + place * (HALF + GAP), y, width)
        y += max(panel.height for panel in band) + GAP
    return end(lines, y)


def begin(title: str, notes: Sequence[str]) -> tuple[list[str], float]:
    """The first lines of a picture, and how far down they reach."""
    wrapped = [part for note in notes for part in textwrap.wrap(note, int(FULL / text_width("n", LABEL)))]
    lines = [f'  <title id="title">{escape(title)}</title>', _shared_style() + STYLE.rstrip()]
    lines.append(text(title, EDGE, EDGE + TITLE, kind="name"))
    lines += [text(note, EDGE, EDGE + TITLE + 20 * row) for row, note in enumerate(wrapped, 1)]
    return lines, EDGE + TITLE + 20 * len(wrapped) + GAP


def end(lines: Sequence[str], bottom: float) -> str:
    """The whole text of a picture whose last panel ends at `bottom`."""
    page = f'  <rect class="page" x="0.5" y="0.5" width="{WIDTH - 1}" height="{bottom - 1:.0f}" rx="10"/>'
    font = "font-size=\"14\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif\""
    box = f'viewBox="0 0 {WIDTH} {bottom:.0f}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-labelledby="title"\n     {font}>'
    return "\n".join([head, *lines[:2], page, *lines[2:], "</svg>", ""])


def _shared_style() -> str:
    style = re.search(r"  <style>.*?</style>\n", OVERVIEW.read_text(encoding="utf-8"), re.DOTALL)
    assert style is not None
    return style[0]


def _bands(panels: Sequence[Panel]) -> Iterator[tuple[Panel, ...]]:
    """Panels that stand side by side."""
    waiting: Panel | None = None
    for panel in panels:
        if panel.needed > FULL:
            raise ValueError(f"the panel {panel.title!r} has a text that is too long for a picture")
        if waiting is not None and max(waiting.needed, panel.needed) <= HALF:
            yield waiting, panel
            waiting = None
        else:
            if waiting is not None:
                yield (waiting,)
            waiting = panel
    if waiting is not None:
        yield (waiting,)


def _panel(panel: Panel, x: float, y: float, width: float) -> Iterator[str]:
    left = x + panel.label_width + PAD
    values = [value for row in panel.rows for value in (row.value, row.high, *(goal.value for goal in row.goals))]
    known = [value for value in (*values, panel.reference) if value is not None]
    axis = Axis.around(known, left, x + width - panel.words_width - PAD - left)
    top, bottom = y + TITLE_SPACE, y + TITLE_SPACE + ROW * len(panel.rows)
    yield text(panel.title, x, y + TITLE, kind="name")
    for tick in axis.ticks():
        yield line("grid", axis.place(tick), top, axis.place(tick), bottom + 4)
        yield text(f"{tick:g}", axis.place(tick), bottom + 18, "middle")
    if panel.reference is not None:
        yield line("one", axis.place(panel.reference), top, axis.place(panel.reference), bottom)
    for number_of_row, row in enumerate(panel.rows):
        middle = top + ROW * (number_of_row + 0.5)
        yield text(row.label, x, middle + 4)
        yield text(row.words, x + width, middle + 4, "end")
        yield from _marks(row, axis, middle)


def _marks(row: Row, axis: Axis, y: float) -> Iterator[str]:
    for goal in row.goals:
        yield line("goal", axis.place(goal.value), y - 7, axis.place(goal.value), y + 7)
    if row.value is None:
        return
    at = axis.place(row.value)
    if row.high is not None:
        yield line("spread", at, y, axis.place(row.high), y)
        yield line("spread", axis.place(row.high), y - 4, axis.place(row.high), y + 4)
    yield circle(mark(row.goals), at, y)


def mark(goals: Sequence[Goal]) -> str:
    """How a dot looks: filled when every goal is met, hollow when one is missed."""
    return "plain" if not goals else "met" if all(goal.met for goal in goals) else "missed"
