"""What one end of a program did in a run, as sequences of events that can be compared with those of another run.

A message that cannot be sent yet, a task pool that is empty for the moment, and a peer that is not there yet are
waiting, not events: how often a program asks depends on the machine.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from migrate.verify import waiting
from migrate.verify.events import ENDS, ORDER, Event, Events, Topics, bare, by_age, ends, home, is_message, place
from migrate.verify.ignored import Ignored
from migrate.verify.stage import Line, Remains
from migrate.verify.strands import strands

RESULTS, STDOUT, STATUS = "results", "stdout", "exit status"  # topics; results are those of each thread
TRACEBACKS, STDERR = "tracebacks", "stderr"  # by class, and the other lines of standard error
FILE = "file"  # begins topics
MESSAGES = f"{ORDER} sends and receives"  # begins topics of each connection
SIZES = ("max_msg_size", "send_queue_size", "recv_queue_size")  # begin topics, as far as an end has them
LIFE, LEFT_OPEN = "life", "left open"  # topics of devices, engines, contexts, memory; how a life went on to the exit
NOTHING_IGNORED = Ignored()
_SHOWN = 48  # bytes of a message
# A traceback, to the line that names the exception; several if Python says that they are of one failure. Each part
# matches in one way only: a long log may follow.
_ONE = (
    r"Traceback \(most recent call last\):\n"
    r"(?:[ \t].*(?:\n|\Z)|\n)*(?![ \t\n])([\w.]*)(?![\w.]).*(?:\n|\Z)"
)
_CHAINED = (
    r"(?:(?!Traceback ).*\n)*?\n.*(?:the direct cause of the following exception|another exception occurred):\n\n"
)
_TRACEBACK = re.compile(rf"^(?:{_ONE}{_CHAINED})*{_ONE}", re.MULTILINE)


@dataclass(frozen=True)
class Account:
    """An end's account. Connections have no order: which peer comes first is a race."""

    topics: Topics  # the exit status, stdout, failures by thread, settings, how lives ended
    connections: tuple[Topics, ...]  # of each: what was sent and received, and how it came and went
    strands: tuple[Topics, ...] = ()  # of each thread: the places of what it did among each other
    files: Topics | None = None  # what is in those that the run has written; None: not known of this end

    @classmethod
    def of(
        cls, remains: Remains, *, results: bool = True, order: bool = True, ignored: Ignored = NOTHING_IGNORED
    ) -> Account:
        """Read it from what a process has left, without what is to be `ignored`.

        Without what calls returned, when the program printed and what it told (`results`), where one side cannot show
        it. Without the `order` of sends, receives and prints among each other, and without what it told, where these
        depend on how long the program waits.
        """
        folder, said = f"{remains.folder}/", _Said.of(remains, ignored)
        trace = by_age(remains.trace)
        watched = [*_without_waiting(remains.watched, waiting.places(trace))] if results else []
        topics = {
            **_failures(watched, folder),
            STDOUT: tuple(map(Event, _printed(_own(remains.stdout, said)))),
            STATUS: (Event(str(remains.status)),),
            **({TRACEBACKS: tuple(map(Event, sorted(_tracebacks(remains.stderr))))} if results else {}),
            **({STDERR: tuple(map(Event, _told(remains.stderr, said)))} if results and order else {}),
            **_settings(trace, folder),
            **_lives(trace, folder),
        }
        return cls(
            topics,
            connections=tuple(_connections(trace, folder, said, order=order)),
            strands=tuple(strands([*trace, *watched], folder)) if results and order else (),
            files=None if remains.files is None else dict(_files(remains.files, said)),
        )


@dataclass(frozen=True)
class _Said:
    """How all runs would say what a program says in one: `folders` matches where its ends ran, which is left out."""

    folders: re.Pattern[bytes]
    ignored: Ignored

    @classmethod
    def of(cls, remains: Remains, ignored: Ignored) -> _Said:
        folders = b"|".join(re.escape(os.fsencode(folder)) for folder in (remains.folder, *remains.others))
        return cls(re.compile(rb"(?:" + folders + rb")(/(?=.))?"), ignored)

    def relative(self, data: bytes) -> bytes:
        """Return bytes with relative paths."""
        return self.folders.sub(lambda found: b"" if found[1] else b".", data)

    def of_data(self, data: bytes) -> bytes:
        """Return bytes with relative paths, and without what is ignored."""
        return self.ignored.left_of(self.relative(data))

    def text(self, text: str) -> str:
        """Return a text with relative paths, and without what is ignored."""
        return self.ignored.left(self.relative(text.encode()).decode())


def ran(remains: Remains) -> Iterator[tuple[str, int]]:
    """Yield the files, relative to the program's folder, and the lines that called the toolkit."""
    for line in remains.watched:
        if line["what"] == "ran":
            path, _, number = place(line, f"{remains.folder}/").rpartition(":")
            yield path, int(number)


def _tracebacks(stderr: str) -> Iterator[str]:
    """Yield the classes of exceptions whose tracebacks were printed; of a chain, of the last one."""
    return filter(None, map(_class, _TRACEBACK.finditer(stderr)))


def _class(traceback: re.Match[str]) -> str:
    return traceback[2].rpartition(".")[2]


def _own(text: str, said: _Said) -> str:
    """Return a program's own output: a traceback has the lines of either program."""
    return said.text(_TRACEBACK.sub(lambda found: f"traceback of {_class(found)}\n", text))


def _told(stderr: str, said: _Said) -> Iterator[str]:
    """Yield the lines of standard error that belong to no traceback."""
    return filter(None, said.text(_TRACEBACK.sub("", stderr)).split("\n"))


def _files(files: Mapping[str, bytes | None], said: _Said) -> Iterator[tuple[str, Events]]:
    for name, data in files.items():
        yield f"{FILE} {name}", tuple(map(Event, ["removed"] if data is None else _content(data, said)))


def _content(data: bytes, said: _Said) -> list[str]:
    """Return the lines of a file; of a file that is not text, what names its bytes."""
    try:
        return [*_printed(_own(data.decode(), said))] or ["empty"]
    except UnicodeDecodeError:
        left = said.relative(data)
        return [f"{len(left)} bytes {_digest(left)}"]


def _printed(stdout: str) -> Iterator[str]:
    """Yield lines, which end with a newline and nothing else."""
    *lines, last = stdout.split("\n")
    yield from lines
    if last:
        yield from (last, "no newline at the end")


def _without_waiting(watched: Iterable[Line], waited: Container[str]) -> Iterator[Line]:
    """Leave out failures that are waiting: at the places in `waited` no task was free."""
    return (line for line in watched if line.get("result") != waiting.NO_TASK or line["at"] not in waited)


def _failures(watched: Iterable[Line], folder: str) -> dict[str, Events]:
    """What went wrong in the eyes of the program, by thread. A result that repeats the last one counts once."""
    found: dict[str, list[Event]] = {}
    for line in by_age(line for line in watched if line["what"] == "failed"):
        topic = RESULTS if line["thread"] == "MainThread" else f"{RESULTS} in {line['thread']}"
        events = found.setdefault(topic, [])
        if not events or events[-1].text != line["result"]:
            events.append(Event(line["result"], place(line, folder), line["t"]))
    return {topic: tuple(events) for topic, events in found.items()}


def _connections(trace: Iterable[Line], folder: str, said: _Said, *, order: bool) -> Iterator[Topics]:
    """Yield what happened on each connection that a message came or went on, or that came up."""
    found: dict[tuple[object, ...], list[tuple[Line, Event]]] = {}
    for line in trace:
        if "connection" in line and (event := _event(line, folder, said)) is not None:
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
        if is_message(line):
            text = ", ".join((line["what"], *ends(line)))
            path = " on the fast path" if any(ends(line)) else ""
            paths.setdefault(f"{MESSAGES}{path} of {home(line)}", []).append(event._replace(text=text))
    if len(paths) > 1:
        both = sorted(chain.from_iterable(paths.values()), key=lambda event: event.t)
        paths[f"{MESSAGES} on both paths of {home(line)}"] = both
    return {topic: [*_in_turn(events)] for topic, events in paths.items()}


def _in_turn(events: Iterable[Event]) -> Iterator[Event]:
    """Sort what was received without a send in between: what comes from different ends has no order."""
    for received, group in groupby(events, key=lambda event: event.text.startswith("receive")):
        found = [*group]
        yield from sorted(found, key=lambda event: event.text) if received else found


def _topic(line: Line) -> str:
    return ", ".join((f"{line['what']}s of {home(line)}", *ends(line)))


def _lives(trace: Sequence[Line], folder: str) -> dict[str, Events]:
    """How what the program opened or created has ended: closed, or left open to its exit."""
    living: dict[tuple[object, ...], list[Line]] = {}
    found: dict[str, list[Event]] = {}
    for line in trace:
        key = tuple(map(line.get, ("pid", "noun", "handle")))
        if line["what"] == "open":
            living.setdefault(key, []).append(line)
        elif line["what"] == "close" and (lives := living.get(key)):  # else a child closes what its parent has opened
            found.setdefault(_life(lives.pop()), []).append(Event("closed", place(line, folder), line["t"]))
    for line in chain.from_iterable(living.values()):
        found.setdefault(_life(line), []).append(Event(LEFT_OPEN, place(line, folder)))
    return {topic: tuple(events) for topic, events in found.items()}


def _life(line: Line) -> str:
    kinds = [f"the {name}s on" for name in ENDS if name in line]
    words = (*kinds, home(line)) if line["noun"] == "context" else (line["noun"], *_addresses(line))
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
            event = Event(text, place(line, folder), line["t"])
            found.setdefault(f"{name} of {home(line)}", {}).setdefault(text, event)
    return {topic: tuple(map(events.__getitem__, sorted(events))) for topic, events in found.items()}


def _addresses(line: Line) -> tuple[str, ...]:
    return tuple(line[name] for name in ("pci_addr", "rep_pci_addr") if name in line)


def _event(line: Line, folder: str, said: _Said) -> Event | None:
    """What a line of a trace says about the program; None for what depends on when it asks.

    A send that was refused is waiting, or a failure that the program has seen.
    """
    if is_message(line):
        event = _message(line, said)
        return event and event._replace(at=place(line, folder), t=line["t"])
    if line["what"] == "disconnect" or (line["what"] == "up" and line["ok"]):
        return Event(line["what"], place(line, folder), line["t"])
    return None


def _message(line: Line, said: _Said) -> Event | None:
    """Name a message by its length and content; a long one by its beginning and digest. None if all of it is left out.

    Where something is left out, the digest is that of what the trace has of the rest.
    """
    immediate = f" with {line['imm_length']} bytes {line['imm_digest']}" if "imm_digest" in line else ""
    if "payload" not in line:
        return Event(f"{line['length']} bytes{immediate}")
    data = base64.b64decode(line["payload"])
    left = said.of_data(data)
    length = line["length"] - len(data) + len(left)
    if data and not length:
        return None
    text = f"{length} bytes {_shown(left, length, line['digest'] if left == data else _digest(left))}{immediate}"
    if length > len(left):
        return Event(text)  # the trace has not all of it
    without = bare(left.decode("latin-1")).encode("latin-1")
    return Event(text, bare=f"# bytes {_shown(without, len(without), _digest(without))}{immediate}")


def _shown(data: bytes, length: int, digest: str) -> str:
    return f"{data!r}" if length <= _SHOWN else f"{data[:_SHOWN]!r}... {digest}"


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
