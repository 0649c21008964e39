"""Accounts and processes that a test writes down."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from migrate.verify.account import Account
from migrate.verify.events import Event, Topics
from migrate.verify.peers import Peer, Script
from migrate.verify.stage import Line, Remains
from migrate.verify.trees import Call, Stays, Trees

FOLDER = Path("/program")
CALL = Call(Path("a.py"), 3, 4, "sendto")
RAN: Line = {"what": "ran", "at": "/program/a.py:4"}


def events(*texts: str) -> tuple[Event, ...]:
    return tuple(Event(text, f"a.py:{number}", number) for number, text in enumerate(texts, start=1))


def account(*connections: Topics, **topics: str) -> Account:
    """Topics are words, each an event."""
    return Account({topic: events(*words.split()) for topic, words in topics.items()}, connections)


def remains(
    stdout: str = "",
    status: int | str = 0,
    trace: tuple[Line, ...] = (),
    watched: tuple[Line, ...] = (RAN,),
    compiled: frozenset[str] = frozenset(),
) -> Remains:
    return Remains(FOLDER, status, stdout, "", trace, watched, compiled)


class Acted:
    """A stage without processes: what each side leaves, run by run; the last one is repeated."""

    def __init__(
        self, old: list[Remains], new: list[Remains], calls: tuple[Call, ...] = (CALL,), stays: tuple[Stays, ...] = ()
    ) -> None:
        self.trees = Trees(FOLDER, FOLDER, calls, stays, frozenset([Path("a.py")]))
        script = Script(Path("a.py"))
        self.peers = [Peer("program", script, script)]
        self.scripts = {False: old, True: new}
        self.asked: list[tuple[bool, str]] = []
        self.held: list[int | None] = []

    def run(
        self, name: str, new: Sequence[bool], faults: str = "", held: int | None = None, *, apart: bool = False
    ) -> list[Remains]:
        script = self.scripts[new[0]]
        self.asked.append((new[0], faults))
        self.held.append(held)
        return [script.pop(0) if len(script) > 1 else script[0]]
