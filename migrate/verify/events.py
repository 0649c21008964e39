"""Events that can be compared, and how lines of traces are named in them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from migrate.verify.stage import Line

ORDER = "order of"  # begins topics that have no texts, but the places of events among each other
_NUMBERS = re.compile(r"0x[0-9a-fA-F]+|\d+(\.\d+)?")
ENDS = ("producer", "consumer")  # of a fast path


class Event(NamedTuple):
    """Something that happened. `text` is what is compared; `at` is the line of the program that led to it.

    `bare` is the text without numbers, where that cannot be seen from the text: it may have a digest.
    """

    text: str
    at: str = ""
    t: float = float("inf")  # the monotonic clock in nanoseconds; none for what is printed
    source: str = ""  # what stands in that line, once it is to be shown
    bare: str = ""

    @property
    def without_numbers(self) -> Event:
        """The event, with # for each number: what they are may depend on the clock."""
        return self._replace(text=self.bare or bare(self.text))


def bare(text: str) -> str:
    """Return a text with # for each number."""
    return _NUMBERS.sub("#", text)


Events = tuple[Event, ...]
Topics = Mapping[str, Events]


def by_age(lines: Iterable[Line]) -> list[Line]:
    """Return lines in order of time."""
    return sorted(lines, key=lambda line: int(line["t"]))


def place(line: Line, folder: str) -> str:
    """Return the line of the program, its file relative to a folder, in whatever way it was found; "" if none."""
    path, colon, number = str(line.get("at", "")).rpartition(":")
    return f"{path and os.path.normpath(path)}{colon}{number}".removeprefix(folder)


def is_message(line: Line) -> bool:
    """Whether a line of a trace is a message that was sent, or received."""
    return line["what"] in ("send", "receive") and line.get("result", "DOCA_SUCCESS") == "DOCA_SUCCESS"


def home(line: Line) -> str:
    """Name the end of a channel that a line is about."""
    return f"the {line['side']} of {line['service']}" if "side" in line else f"message queue {line['msgq']}"


def ends(line: Line) -> Iterator[str]:
    """Name the ends of a fast path that a line is about."""
    return (f"{name} {line[name]}" for name in ENDS if name in line)
