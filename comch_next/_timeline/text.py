"""A timeline as text: a column for each lane, arrows where a message goes to another one."""

from __future__ import annotations

from comch_next._commands.report import plain
from comch_next._timeline.events import Event, Lane, Timeline

__all__ = ["text"]

_TIME = 10  # columns
_GAP = "  "


def text(timeline: Timeline) -> str:
    """Return the timeline, a line for each event; times are milliseconds since the first."""
    place = {lane: column for column, lane in enumerate(timeline.lanes)}
    rows = [(f"{event.at_ns / 1e6:.3f}", place[event.lane], _cell(event, place)) for event in timeline.events]
    heads = [plain(str(lane)) for lane in timeline.lanes]
    widths = [max(len(head), *(len(cell) for _, at, cell in rows if at == i)) for i, head in enumerate(heads)]
    lines = [_line("ms", heads, widths)]
    for time, at, cell in rows:
        lines.append(_line(time, [cell if column == at else "" for column in range(len(widths))], widths))
    return "\n".join(lines)


def _cell(event: Event, place: dict[Lane, int]) -> str:
    words = event.words
    if event.peer is None:
        return words
    is_left = place[event.lane] < place[event.peer.lane]
    if event.is_send:
        return f"{words} ─▶" if is_left else f"◀─ {words}"
    return f"{words} ◀─" if is_left else f"─▶ {words}"


def _line(time: str, cells: list[str], widths: list[int]) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
    return _GAP.join([time.rjust(_TIME), *padded]).rstrip()
