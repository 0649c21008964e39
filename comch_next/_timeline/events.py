"""The lines of traces as events on lanes: a lane is an end of a service in one process."""

from __future__ import annotations

import json
import math
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from comch_next._commands.report import plain
from comch_next.errors import InvalidValue

__all__ = ["Event", "Lane", "Timeline", "read"]

Line = Mapping[str, Any]  # of a trace; see driver._traced

_OTHER = {"client": "server", "server": "client"}
_SHOWN = 8  # digits of a digest
_FIRST = '{"seq":'  # what each line of a trace begins with


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
    shown = [line for line in lines if _is_shown(line)]
    events = [_event(line, shown[0]["t"]) for line in shown]
    _match([_Entry(line, event) for line, event in zip(shown, events, strict=True)])
    joined = [_joined(list(group)) for _, group in groupby(events, key=_sameness)]
    return Timeline(list(dict.fromkeys(event.lane for event in joined)), joined)


def _lines(name: str, text: str) -> Iterator[Line]:
    for number, row in enumerate(text.splitlines(keepends=True), start=1):
        try:
            line = json.loads(row)
            _check(line)
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            if isinstance(error, json.JSONDecodeError) and _is_cut(row):
                continue
            raise InvalidValue(f"timeline: {name}:{number} is not a line of a trace") from error
        yield line


def _is_cut(row: str) -> bool:
    """Whether it is what there is of a line that was not written to its end: spaces, or its beginning."""
    words = row.lstrip(" ")
    return words == "\n" or words.startswith(_FIRST) or _FIRST.startswith(words)


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


class _Entry(NamedTuple):
    """A line and its event."""

    line: Line
    event: Event

    @property
    def end(self) -> tuple[Lane, object]:
        """The end of a connection that it is of."""
        return self.event.lane, self.line.get("connection")

    @property
    def is_sent(self) -> bool:
        return self.event.is_send and not self.event.is_refused

    @property
    def is_received(self) -> bool:
        return str(self.line["what"]) == "receive"

    @property
    def is_end(self) -> bool:
        """Whether the connection has ended with it; a refused disconnect changes nothing."""
        what = str(self.line["what"])
        return what in ("down", "lost") or (what == "disconnect" and self.line.get("result") == "DOCA_SUCCESS")


@dataclass(eq=False)
class _End:
    """An end of a connection, as the traces have it."""

    sent: set[object] = field(default_factory=set)
    received: set[object] = field(default_factory=set)
    began: float = -math.inf
    ended: float = math.inf
    other: _End | None = None

    def note(self, entry: _Entry) -> None:
        """Take the next line of it."""
        if entry.is_sent:
            self.sent.add(_content(entry.line))
        elif entry.is_received:
            self.received.add(_content(entry.line))
        elif entry.line["what"] == "up" and entry.line.get("ok"):
            self.began = entry.line["t"]
        elif entry.is_end:
            self.ended = min(self.ended, entry.line["t"])


def _match(entries: Sequence[_Entry]) -> None:
    """Give sends and receives their peers: the two ends number connections on their own, so messages tell which belong.

    Ends that may be those of one connection come first. Those that are left belong to traces with gaps: any two do.
    """
    ends: defaultdict[object, _End] = defaultdict(_End)
    for entry in entries:
        ends[entry.end].note(entry)
    for agree in (cache(_agree), lambda *_: True):
        _pair(entries, ends, agree)


def _pair(entries: Sequence[_Entry], ends: Mapping[object, _End], agree: Callable[[_End, _End], bool]) -> None:
    """A receive gets the first send of its message without a peer, from its connection's other end if that is known."""
    sent: defaultdict[object, deque[tuple[Event, _End]]] = defaultdict(deque)
    for entry in entries:
        line, event, end = entry.line, entry.event, ends[entry.end]
        if event.peer is not None:
            continue
        if entry.is_sent:
            sent[line["service"], event.lane.side, _content(line)].append((event, end))
        elif entry.is_received:
            waiting = sent[line["service"], _OTHER.get(event.lane.side), _content(line)]
            found = next((pair for pair in waiting if _may_meet(*pair[1:], end, agree)), None)
            if found is not None:
                waiting.remove(found)
                sender = found[1]
                end.other, sender.other = sender, end
                event.peer, found[0].peer = found[0], event


def _may_meet(sender: _End, receiver: _End, agree: Callable[[_End, _End], bool]) -> bool:
    if sender.other is None and receiver.other is None:
        return agree(sender, receiver)
    return sender.other is receiver


def _agree(one: _End, other: _End) -> bool:
    """Whether each has sent what the other received, and both lived at one time."""
    are_messages = one.received <= other.sent and other.received <= one.sent
    return are_messages and one.began < other.ended and other.began < one.ended
