"""What one end of a program did in a run, as sequences of events that can be compared with those of another run.

A message that cannot be sent yet, a task pool that is empty for the moment, and a peer that is not there yet are
waiting, not events: how often a program asks depends on the machine.
"""

from __future__ import annotations

import base64
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from migrate.verify import waiting
from migrate.verify.stage import Line, Remains

RESULTS, STDOUT, STATUS = "results", "stdout", "exit status"  # topics; results are those of each thread
ORDER = "order of sends and receives"  # topics of each connection, which have no texts
SIZES = ("max_msg_size", "send_queue_size", "recv_queue_size")  # begin topics, as far as an end has them
LIFE, LEFT_OPEN = "life", "left open"  # topics of devices, engines, contexts, memory; how a life went on to the exit
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

    topics: Topics  # the exit status, stdout, failures by thread, settings, how lives ended
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
            STDOUT: tuple(map(Event, _printed(remains.stdout.replace(folder, "")))),
            STATUS: (Event(str(remains.status)),),
            **_settings(trace, folder),
            **_lives(trace, folder),
        }
        return cls(topics, tuple(_connections(trace, folder, order=order)))


def ran(remains: Remains) -> Iterator[tuple[str, int]]:
    """Yield the files, relative to the program's folder, and the lines that called the toolkit."""
    for line in remains.watched:
        if line["what"] == "ran":
            path, _, number = _place(line, f"{remains.folder}/").rpartition(":")
            yield path, int(number)


def _printed(stdout: str) -> Iterator[str]:
    """Yield lines, which end with a newline and nothing else."""
    *lines, last = stdout.split("\n")
    yield from lines
    if last:
        yield from (last, "no newline at the end")


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
    found: dict[tuple[object, ...], list[tuple[Line, Event]]] = {}
    for line in trace:
        if "connection" in line and (event := _event(line, folder)) is not None:
            key = tuple(line.get(name) for name in ("pid", "service", "side", "connection"))
            found.setdefault(key, []).append((line, event))
    for happened in found.values():
        topics: dict[str, list[Event]] = {}
        for line, event in happened:
            topics.setdefault(_topic(line), []).append(event)
        orders = _orders(happened) if order else {}
        yield {topic: tuple(events) for topic, events in {**topics, **orders}.items()}


def _orders(happened: Iterable[tuple[Line, Event]]) -> dict[str, list[Event]]:
    """The places of sends and receives among each other: on each path, and, where messages went on both, on these."""
    paths: dict[str, list[Event]] = {}
    for line, event in happened:
        if line["what"] in _DIRECTIONS:
            text = ", ".join((line["what"], *_ends(line)))
            path = " on the fast path" if line.keys() & _ENDS else ""
            paths.setdefault(f"{ORDER}{path} of {_home(line)}", []).append(event._replace(text=text))
    if len(paths) > 1:
        both = sorted(chain.from_iterable(paths.values()), key=lambda event: event.t)
        paths[f"{ORDER} on both paths of {_home(line)}"] = both
    return paths


def _topic(line: Line) -> str:
    return ", ".join((f"{line['what']}s of {_home(line)}", *_ends(line)))


def _ends(line: Line) -> Iterator[str]:
    return (f"{name} {line[name]}" for name in _ENDS if name in line)


def _lives(trace: Sequence[Line], folder: str) -> dict[str, Events]:
    """How what the program opened or created has ended: closed, or left open to its exit."""
    living: dict[tuple[object, ...], list[Line]] = {}
    found: dict[str, list[Event]] = {}
    for line in trace:
        key = tuple(map(line.get, ("pid", "noun", "handle")))
        if line["what"] == "open":
            living.setdefault(key, []).append(line)
        elif line["what"] == "close" and (lives := living.get(key)):  # else a child closes what its parent has opened
            found.setdefault(_life(lives.pop()), []).append(Event("closed", _place(line, folder), line["t"]))
    for line in chain.from_iterable(living.values()):
        found.setdefault(_life(line), []).append(Event(LEFT_OPEN, _place(line, folder)))
    return {topic: tuple(events) for topic, events in found.items()}


def _life(line: Line) -> str:
    kinds = [f"the {name}s on" for name in _ENDS if name in line]
    words = (*kinds, _home(line)) if line["noun"] == "context" else (line["noun"], *_addresses(line))
    return f"{LIFE} of {' '.join(words)}"


def _settings(trace: Iterable[Line], folder: str) -> dict[str, Events]:
    """On which devices servers and clients were, and the sizes with which they started; one may be made anew."""
    found: dict[str, dict[str, Event]] = {}
    for line in trace:
        if line["what"] == "open" and "side" in line and (addresses := _addresses(line)):
            facts = {"device": " for ".join(addresses)}
        else:
            facts = {name: str(line[name]) for name in SIZES if name in line}
        for name, text in facts.items():
            event = Event(text, _place(line, folder), line["t"])
            found.setdefault(f"{name} of {_home(line)}", {}).setdefault(text, event)
    return {topic: tuple(map(events.__getitem__, sorted(events))) for topic, events in found.items()}


def _addresses(line: Line) -> tuple[str, ...]:
    return tuple(line[name] for name in ("pci_addr", "rep_pci_addr") if name in line)


def _home(line: Line) -> str:
    return f"the {line['side']} of {line['service']}" if "side" in line else f"message queue {line['msgq']}"


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
