"""A timeline as a picture: lifelines from the top down, messages as arrows between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape

from comch_next._commands.report import plain
from comch_next._timeline.events import Event, Lane, Timeline

__all__ = ["svg"]

_ROW, _TOP, _TIME = 22, 48, 72  # pixels between events, above them, and where times end
_LETTER, _GAP, _ARROW = 7.3, 8, 160  # of a letter, around texts, and what an arrow has at least
_STYLE = """
text { font: 12px monospace; fill: #222; stroke: #fff; stroke-width: 3px; paint-order: stroke; }
.head { font-weight: bold; text-anchor: middle; }
.time { text-anchor: end; fill: #666; } .to_the_left { text-anchor: end; }
line { stroke: #999; } .message { stroke: #06c; } .refused { fill: #a00; } .back { fill: #fff; } #tip { fill: #06c; }
@media (prefers-color-scheme: dark) {
text { fill: #eee; stroke: #181818; } .time { fill: #aaa; }
line { stroke: #777; } .message { stroke: #6bf; } .refused { fill: #f88; }
.back { fill: #181818; } #tip { fill: #6bf; } }
"""


def svg(timeline: Timeline) -> str:
    """Return the picture, which needs nothing else; it is dark where the reader's pages are."""
    x, width = _placed(timeline)
    y = {id(event): _TOP + _ROW * (row + 1) for row, event in enumerate(timeline.events)}
    height = _TOP + _ROW * (len(y) + 2)
    events = (part for event in timeline.events for part in _drawn(event, x, y))
    body = "\n".join([f'<text class="time" x="{_TIME}" y="24">ms</text>', *_lifelines(x, height), *events])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        f"<style>{_STYLE}</style>\n"
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path id="tip" d="M0 0 L8 4 L0 8 z"/></marker></defs>\n'
        f'<rect class="back" width="{width}" height="{height}"/>\n{body}\n</svg>\n'
    )


def _placed(timeline: Timeline) -> tuple[dict[Lane, int], int]:
    """Where the lifelines are, as near to each other as the texts beside them allow, and how wide that is."""
    place = {lane: column for column, lane in enumerate(timeline.lanes)}
    heads = [_long(str(lane)) / 2 for lane in timeline.lanes]
    left, right = [*heads], [*heads]
    for event in timeline.events:
        side, lane = (left if _is_left(event, place) else right), place[event.lane]
        side[lane] = max(side[lane], _long(event.words))
    x: list[float] = []
    for lane, room in enumerate(left):
        between = max(room, right[lane - 1], heads[lane - 1] + heads[lane], _ARROW)
        x.append(x[-1] + between + 3 * _GAP if x else _TIME + room + 2 * _GAP)
    width = x[-1] + right[-1] if x else _TIME  # only opened and closed, as a process that could not start
    return {lane: round(at) for lane, at in zip(timeline.lanes, x, strict=True)}, round(width + 2 * _GAP)


def _long(text: str) -> float:
    return len(plain(text)) * _LETTER


def _is_left(event: Event, place: Mapping[Lane, float]) -> bool:
    """Whether the words of an event stand to the left of its lifeline: its arrow is on the other side."""
    return event.peer is not None and place[event.peer.lane] > place[event.lane]


def _lifelines(x: dict[Lane, int], height: int) -> Iterator[str]:
    for lane, at in x.items():
        yield f'<text class="head" x="{at}" y="24">{escape(plain(str(lane)))}</text>'
        yield f'<line x1="{at}" y1="36" x2="{at}" y2="{height - 12}"/>'


def _drawn(event: Event, x: dict[Lane, int], y: dict[int, int]) -> Iterator[str]:
    at, row = x[event.lane], y[id(event)]
    is_left = _is_left(event, x)
    kind = ("to_the_left " if is_left else "") + ("refused" if event.is_refused else "")
    yield f'<text class="time" x="{_TIME}" y="{row + 4}">{event.at_ns / 1e6:.3f}</text>'
    yield f'<text class="{kind}" x="{at + (-8 if is_left else 8)}" y="{row + 4}">{escape(event.words)}</text>'
    if event.is_send and event.peer is not None:
        yield (
            f'<line class="message" x1="{at}" y1="{row}" x2="{x[event.peer.lane]}" y2="{y[id(event.peer)]}"'
            ' marker-end="url(#arrow)"/>'
        )
