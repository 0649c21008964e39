"""What one end of a program did in a run, as sequences of events that can be compared with those of another run.

A message that cannot be sent yet, a task pool that is empty for the moment, and a peer that is not there yet are
waiting, not events: how often a program asks depends on the machine.
"""

from __future__ import annotations

import base64
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from migrate.verify import waiting
from migrate.verify.stage import Line, Remains

RESULTS, STDOUT, STATUS = "results", "stdout", "exit status"  # topics; results are those of each thread
ORDER = "order of sends and receives"  # a topic of each connection, which has no texts
_DIRECTIONS, _ENDS = ("send", "receive"), ("producer", "consumer")
_SHOWN = 48  # bytes of a message


class Event(NamedTuple):
    """Something that happened. `text` is what is compared; `at` is the line of the program that led to it."""

    text: str
    at: str = ""
    t: float = float("inf")  # the monotonic clock in nanoseconds; none for what is printed


Events = tuple[Event, ...]
Topics = Mapping[str, Events]


@dataclass(frozen=True)
class Account:
    """An end's account. Connections have no order: which peer comes first is a race."""

    topics: Topics  # the exit status, stdout, failures by thread
    connections: tuple[Topics, ...]  # of each: what was sent and received, and how it came and went

    @classmethod
    def of(cls, remains: Remains, *, results: bool = True, order: bool = True) -> Account:
        """Read it from what a process has left.

        Without the `results` of its calls, where one side cannot show them. Without the `order` of sends and receives
        among each other, where that depends on how long the program waits.
        """
        folder = f"{remains.folder}/"
        trace = _by_age(remains.trace)
        topics = {
            **(_failures(remains.watched, folder, waiting.places(trace)) if results else {}),
            STDOUT: tuple(Event(line.replace(folder, "")) for line in remains.stdout.splitlines()),
            STATUS: (Event(str(remains.status)),),
        }
        return cls(topics, tuple(_connections(trace, folder, order=order)))


def ran(remains: Remains) -> Iterator[tuple[str, int]]:
    """Yield the files, relative to the program's folder, and the lines that called the toolkit."""
    for line in remains.watched:
        if line["what"] == "ran":
            path, _, number = _place(line, f"{remains.folder}/").rpartition(":")
            yield path, int(number)


def _place(line: Line, folder: str) -> str:
    return str(line.get("at", "")).removeprefix(folder)


def _by_age(lines: Iterable[Line]) -> list[Line]:
    return sorted(lines, key=lambda line: int(line["t"]))


def _failures(watched: Iterable[Line], folder: str, waited: Container[str]) -> dict[str, Events]:
    """What went wrong in the eyes of the program, by thread. A result that repeats the last one counts once.

    `waited`: the places where a task that is not to be had is waiting.
    """
    found: dict[str, list[Event]] = {}
    for line in _by_age(line for line in watched if line["what"] == "failed"):
        if line["result"] == waiting.NO_TASK and line["at"] in waited:
            continue
        topic = RESULTS if line["thread"] == "MainThread" else f"{RESULTS} in {line['thread']}"
        events = found.setdefault(topic, [])
        if not events or events[-1].text != line["result"]:
            events.append(Event(line["result"], _place(line, folder), line["t"]))
    return {topic: tuple(events) for topic, events in found.items()}


def _connections(trace: Iterable[Line], folder: str, *, order: bool) -> Iterator[Topics]:
    """Yield what happened on each connection that a message came or went on, or that came up."""
    found: dict[tuple[object, ...], dict[str, list[Event]]] = {}
    for line in trace:
        if "connection" in line and (event := _event(line, folder)) is not None:
            key = tuple(line.get(name) for name in ("pid", "service", "side", "connection"))
            topics = found.setdefault(key, {})
            topics.setdefault(_topic(line), []).append(event)
            if order and line["what"] in _DIRECTIONS and line.keys().isdisjoint(_ENDS):
                topics.setdefault(f"{ORDER} of {_home(line)}", []).append(event._replace(text=line["what"]))
    for topics in found.values():
        yield {topic: tuple(events) for topic, events in topics.items()}


def _topic(line: Line) -> str:
    ends = (f"{name} {line[name]}" for name in _ENDS if name in line)
    return ", ".join((f"{line['what']}s of {_home(line)}", *ends))


def _home(line: Line) -> str:
    return f"the {line['side']} of {line['service']}"


def _event(line: Line, folder: str) -> Event | None:
    """What a line of a trace says about the program; None for what depends on when it asks."""
    if line["what"] == "send" and line["result"] != "DOCA_SUCCESS":
        return None  # waiting, or a failure that the program has seen
    if line["what"] not in (*_DIRECTIONS, "disconnect") and not (line["what"] == "up" and line["ok"]):
        return None
    text = _message(line) if line["what"] in _DIRECTIONS else line["what"]
    return Event(text, _place(line, folder), line["t"])


def _message(line: Line) -> str:
    """Name a message by its length and content; a long one by its beginning and digest."""
    parts = [f"{line['length']} bytes"]
    if "payload" in line:
        data = base64.b64decode(line["payload"])
        parts.append(f"{data[:_SHOWN]!r}" if line["length"] <= _SHOWN else f"{data[:_SHOWN]!r}... {line['digest']}")
    if "imm_digest" in line:
        parts.append(f"with {line['imm_length']} bytes {line['imm_digest']}")
    return " ".join(parts)
