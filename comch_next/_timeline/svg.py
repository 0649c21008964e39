"""A timeline as a picture: lifelines from the top down, messages as arrows between them."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from comch_next._report import plain
from comch_next._timeline.events import Event, Lane, Timeline

__all__ = ["svg"]

_LANE, _ROW, _TOP = 360, 22, 48  # pixels between lifelines, between events, and above them
_TIME, _LEFT = 72, 330  # where times end, and where the first lifeline is
_STYLE = """
text { font: 12px monospace; fill: #222; } .head { font-weight: bold; text-anchor: middle; }
.time { text-anchor: end; fill: #666; } .to_the_left { text-anchor: end; }
line { stroke: #999; } .message { stroke: #06c; } .refused { fill: #a00; } .back { fill: #fff; } #tip { fill: #06c; }
@media (prefers-color-scheme: dark) {
text { fill: #eee; } .time { fill: #aaa; } line { stroke: #777; } .message { stroke: #6bf; } .refused { fill: #f88; }
.back { fill: #181818; } #tip { fill: #6bf; } }
"""


def svg(timeline: Timeline) -> str:
    """Return the picture, which needs nothing else; it is dark where the reader's pages are."""
    x = {lane: _LEFT + _LANE * column for column, lane in enumerate(timeline.lanes)}
    y = {id(event): _TOP + _ROW * (row + 1) for row, event in enumerate(timeline.events)}
    width, height = _LEFT + _LANE * len(x), _TOP + _ROW * (len(y) + 2)
    body = "\n".join([*_lifelines(x, height), *(part for event in timeline.events for part in _drawn(event, x, y))])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        f"<style>{_STYLE}</style>\n"
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
        '<path id="tip" d="M0 0 L8 4 L0 8 z"/></marker></defs>\n'
        f'<rect class="back" width="{width}" height="{height}"/>\n{body}\n</svg>\n'
    )


def _lifelines(x: dict[Lane, int], height: int) -> Iterator[str]:
    for lane, at in x.items():
        yield f'<text class="head" x="{at}" y="24">{escape(plain(str(lane)))}</text>'
        yield f'<line x1="{at}" y1="36" x2="{at}" y2="{height - 12}"/>'


def _drawn(event: Event, x: dict[Lane, int], y: dict[int, int]) -> Iterator[str]:
    """The words of an event stand on the side of its lifeline where its arrow does not."""
    at, row = x[event.lane], y[id(event)]
    arrow_is_right = event.peer is not None and x[event.peer.lane] > at
    kind = ("to_the_left " if arrow_is_right else "") + ("refused" if event.is_refused else "")
    yield f'<text class="time" x="{_TIME}" y="{row + 4}">{event.at_ns / 1e6:.3f}</text>'
    yield f'<text class="{kind}" x="{at + (-8 if arrow_is_right else 8)}" y="{row + 4}">{escape(event.words)}</text>'
    if event.is_send and event.peer is not None:
        yield (
            f'<line class="message" x1="{at}" y1="{row}" x2="{x[event.peer.lane]}" y2="{y[id(event.peer)]}"'
            ' marker-end="url(#arrow)"/>'
        )
