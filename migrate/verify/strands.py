"""What each thread of a program did, in order: sends, receives, prints, failed calls, peers that it left.

One thread has one order. Between threads, and between those that print without Python, a run shows none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from migrate.report.run import counted
from migrate.verify.events import ORDER, Event, Topics, by_age, ends, home, is_message, place
from migrate.verify.stage import Line

TURNS = f"{ORDER} sends to several peers"
FAILURES = "failures"  # ends topics
_KINDS = {"send": "sends", "receive": "receives", "failed": FAILURES, "printed": "stdout"}
# What has a place, and what is counted before it. Sends among receives belong to a connection, not to a thread.
_PLACED = (
    ("sends", "stdout"),
    ("receives", "stdout"),
    (FAILURES, "stdout"),
    (FAILURES, "sends"),
    (FAILURES, "receives"),
)


def strands(lines: Iterable[Line], folder: str) -> Iterator[Topics]:
    """Yield the topics of each thread, given the lines of traces and what the watcher has recorded.

    Each topic ends with what does not depend on the order.
    """
    threads: dict[tuple[int | None, int | None], list[Line]] = {}
    for line in by_age(line for line in lines if _is_step(line) or _is_disconnect(line)):
        threads.setdefault((line.get("pid"), line.get("thread_id")), []).append(line)
    for everything in threads.values():
        done = [line for line in everything if _is_step(line)]
        left = [line for line in everything if _is_disconnect(line)]
        placed = _placed([*_without_repeats(done)], folder)
        topics = {**placed, **_exceptions(done, folder), **_turns(done, folder), **_disconnects(left, folder)}
        if topics:
            yield topics


def _without_repeats(done: Iterable[Line]) -> Iterator[Line]:
    """Leave failures out that follow the same one at once: how often a program asks again may depend on the machine."""
    before: Line = {}
    for line in done:
        if line["what"] != "failed" or (before.get("what"), before.get("result")) != ("failed", line["result"]):
            yield line
        before = line


def _exceptions(done: Iterable[Line], folder: str) -> Topics:
    """Every one that the program saw, where all runs have as many.

    A code need not come from a call: what migrate writes may know it without one.
    """
    raised = [Event(line["result"], place(line, folder), line["t"]) for line in done if line.get("raised")]
    return {f"{ORDER} exceptions": (*raised, Event("the end"))} if raised else {}


def _placed(done: Sequence[Line], folder: str) -> Topics:
    there = {_KINDS[line["what"]] for line in done}
    return {
        f"{ORDER} {before} and {kind}": tuple(_places(done, kind, before, folder))
        for kind, before in _PLACED
        if {kind, before} <= there
    }


def _places(done: Iterable[Line], kind: str, before: str, folder: str) -> Iterator[Event]:
    number = rest = placed = 0
    for line in done:
        if _KINDS[line["what"]] == kind:
            placed += 1
            what = line["result"] if kind == FAILURES else line["what"]
            yield Event(f"{what} after {_count(before, number, rest)}", place(line, folder), line["t"])
        elif _KINDS[line["what"]] == before:
            lines = line.get("lines", 1)
            number, rest = number + lines, line.get("rest", 0) + (0 if lines else rest)
    yield Event(f"the end after {_count(before, number, rest)} and {_count(kind, placed, 0)}")


def _count(what: str, number: int, rest: int) -> str:
    """Say how many there were; of stdout, in lines, and the bytes of one that has no end yet."""
    begun = f" and {counted(rest, 'byte')}" if rest else ""
    return f"{counted(number, 'line' if what == 'stdout' else what.removesuffix('s'))}{begun}"


def _turns(done: Iterable[Line], folder: str) -> Topics:
    """Whose turn it was, for a thread that sends to several peers. What it receives may tell it whom to send to."""
    messages = [line for line in done if "connection" in line]
    if len({_peer(line) for line in messages if line["what"] == "send"}) < 2:
        return {}
    turns = [
        Event(", ".join((f"{line['what']} on {_peer(line)}", *ends(line))), place(line, folder), line["t"])
        for line in messages
    ]
    return {TURNS: (*turns, Event(f"the end after {counted(len(turns), 'message')}"))}


def _disconnects(left: Iterable[Line], folder: str) -> Topics:
    """In which order a thread left its peers: servers their connections, and clients and servers altogether."""
    disconnects = [Event(f"{_whom(line)} ends", place(line, folder), line["t"]) for line in left]
    if len({event.text for event in disconnects}) < 2:
        return {}
    return {f"{ORDER} disconnects": (*disconnects, Event(f"the end after {counted(len(disconnects), 'disconnect')}"))}


def _is_step(line: Line) -> bool:
    return is_message(line) or line["what"] in ("failed", "printed")


def _is_disconnect(line: Line) -> bool:
    is_stopped = line["what"] == "state" and (line["old"], line["new"]) == ("RUNNING", "STOPPING") and "side" in line
    return is_stopped or (line["what"] == "disconnect" and line.get("result") == "DOCA_SUCCESS")


def _whom(line: Line) -> str:
    return _peer(line) if "connection" in line else home(line)


def _peer(line: Line) -> str:
    return f"connection {line['connection']} of {home(line)}"
