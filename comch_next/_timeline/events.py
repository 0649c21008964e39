"""The lines of traces as events on lanes: a lane is an end of a service in one process."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from comch_next._commands.report import plain
from comch_next.errors import InvalidValue

__all__ = ["Event", "Lane", "Timeline", "read"]

Line = Mapping[str, Any]  # of a trace; see driver._traced

_OTHER = {"client": "server", "server": "client"}
_SHOWN = 8  # digits of a digest


class Lane(NamedTuple):
    """An end of a service in one process."""

    pid: int
    service: str
    side: str

    def __str__(self) -> str:
        return f"{self.service} {self.side}, process {self.pid}"


@dataclass(eq=False)
class Event:
    """Something that happened on a lane, as often as `times`. `peer`: the other end of a message."""

    at_ns: int  # since the first event
    lane: Lane
    text: str
    is_refused: bool = False
    is_send: bool = False
    times: int = 1
    peer: Event | None = None

    @property
    def words(self) -> str:
        """What happened, on one line."""
        return plain(self.text) + (f", {self.times} times" if self.times > 1 else "")


@dataclass(frozen=True)
class Timeline:
    """Lanes in the order of their first events, and all events in the order of time."""

    lanes: Sequence[Lane]
    events: Sequence[Event]


def read(texts: Iterable[tuple[str, str]]) -> Timeline:
    """Read traces, each (name, text). InvalidValue with the place for a line that is not of a trace."""
    lines = sorted((line for name, text in texts for line in _lines(name, text)), key=lambda line: line["t"])
    if not lines:
        raise InvalidValue("timeline: nothing happened in these traces")
    shown, matching = [line for line in lines if _is_shown(line)], _Matching()
    events = [matching.meet(line, _event(line, shown[0]["t"])) for line in shown]
    joined = [_joined(list(group)) for _, group in groupby(events, key=_sameness)]
    return Timeline(list(dict.fromkeys(event.lane for event in joined)), joined)


def _lines(name: str, text: str) -> Iterator[Line]:
    for number, row in enumerate(text.splitlines(), start=1):
        try:
            line = json.loads(row)
            _check(line)
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise InvalidValue(f"timeline: {name}:{number} is not a line of a trace") from error
        yield line


def _check(line: Line) -> None:
    """Raise KeyError, TypeError or OverflowError for what cannot be shown."""
    if not (isinstance(line["t"], int) and isinstance(line["pid"], int) and isinstance(line["what"], str)):
        raise TypeError("times and processes are numbers, events are words")
    float(line["t"])  # as which times are shown
    if _is_shown(line):
        hash((_event(line, 0).lane, line.get("connection"), _content(line)))


def _content(line: Line) -> tuple[object, ...]:
    """What tells a message from others, at both of its ends."""
    return tuple(line.get(key) for key in ("n", "length", "digest", "imm_length", "imm_digest", "consumer"))


def _is_shown(line: Line) -> bool:
    """Whether it is of a lane, and not of an object that is opened or closed: settings may have contexts made anew."""
    return "service" in line and "handle" not in line


def _event(line: Line, start: int) -> Event:
    lane = Lane(line["pid"], line["service"], line.get("side", ""))
    result = str(line.get("result", "")).removeprefix("DOCA_").removeprefix("ERROR_")
    is_refused = line["what"] == "send" and result != "SUCCESS"
    return Event(line["t"] - start, lane, _text(line, result), is_refused, line["what"] == "send")


def _text(line: Line, result: str) -> str:
    """What happened, in the words of the trace."""
    what = line["what"]
    words = {
        "state": (line.get("old"), "to", line.get("new")),
        "up": ("connection", line.get("connection"), "up" if line.get("ok") else "never came up"),
        "down": ("connection", line.get("connection"), "down" if line.get("ok", True) else "died"),
    }.get(what, (what, line.get("n"), *_message(line), "" if result == "SUCCESS" else result))
    return " ".join(str(word) for word in words if word not in (None, ""))


def _message(line: Line) -> Iterator[str]:
    for length, digest, name in (("length", "digest", ""), ("imm_length", "imm_digest", "immediate")):
        if length in line:
            yield f"{name} {line[length]} B {line[digest][:_SHOWN]}".strip()


def _sameness(event: Event) -> object:
    """What follows each other is one event where a send is refused again."""
    return (event.lane, event.text) if event.is_refused else id(event)


def _joined(same: Sequence[Event]) -> Event:
    same[0].times = len(same)
    return same[0]


class _Matching:
    """Finds the send of a receive: the two ends number connections on their own, so messages tell which belong."""

    def __init__(self) -> None:
        self._sent: defaultdict[object, deque[tuple[Event, object]]] = defaultdict(deque)
        self._other: dict[object, object] = {}  # an end of a connection -> the other one

    def meet(self, line: Line, event: Event) -> Event:
        """Take the next event; a receive gets its peer."""
        end = (event.lane, line.get("connection"))
        message = _content(line)
        if line["what"] == "send" and not event.is_refused:
            self._sent[line["service"], event.lane.side, message].append((event, end))
        elif line["what"] == "receive":
            waiting = self._sent[line["service"], _OTHER.get(event.lane.side), message]
            found = next((pair for pair in waiting if self._may_meet(pair[1], end)), None)
            if found is not None:
                waiting.remove(found)
                self._other[end], self._other[found[1]] = found[1], end
                event.peer, found[0].peer = found[0], event
        return event

    def _may_meet(self, sender: object, receiver: object) -> bool:
        return self._other.get(sender, receiver) == receiver and self._other.get(receiver, sender) == sender
