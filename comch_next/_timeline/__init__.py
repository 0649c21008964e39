"""What happened between the ends of channels, in the order of time: ``python -m comch_next timeline TRACE...``.

events    the lines of traces as events on lanes, with both ends of each message
text      lanes as columns
svg       lanes as lifelines, messages as arrows
"""

from comch_next._timeline.events import Event, Lane, Timeline, read
from comch_next._timeline.svg import svg
from comch_next._timeline.text import text

__all__ = ["Event", "Lane", "Timeline", "read", "svg", "text"]
