"""A KeyboardInterrupt at a random place of the library, during every public call; then all can be closed all the same.

Run as a program, `python -m tests.interrupts.strike FACE SECONDS SEED`. The interrupt comes where the interpreter
looks for signals: when a Python function begins, and after a call. Prints each finding; exits with 1 when there are
any.
"""

from __future__ import annotations

import gc
import random
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from types import CodeType

from comch_next import DocaError
from comch_next.driver.emulated._guard import UNCONNECTED
from tests.attacks import SOON_S, Findings, attack
from tests.descriptors import mapped, open_fds
from tests.looks import at_looks
from tests.threads.duel import connect
from tests.threads.faces import Call, End, Face

_TURNS = 10


class Strike:
    """Interrupts the library when it has come to its `at`-th place; counts them all when there is none."""

    def __init__(self, at: int | None) -> None:
        self._at = at
        self.count = 0
        self.place = ""

    def run(self, call: Call, end: End) -> None:
        """Make the call; raises what it raises."""
        try:
            with at_looks(self._come_to):
                call(end)
        finally:
            assert not UNCONNECTED._is_owned(), f"the lock is held for ever: {self.place}"

    def hit(self, call: Callable[[], object]) -> None:
        """Make the call, which the interrupt comes out of when there is one."""
        with suppress(KeyboardInterrupt):
            self.run(lambda _: call(), None)  # type: ignore[arg-type]
            assert not self.place, f"the interrupt at {self.place} was lost"

    def _come_to(self, code: CodeType, offset: int) -> None:
        self.count += 1
        if self.count == self._at:
            line = next(at for start, end, at in code.co_lines() if start <= offset < end)
            self.place = f"{Path(code.co_filename).name}:{line} in {code.co_name}"
            signal.raise_signal(signal.SIGINT)  # where the library holds signals back, it comes at the end of that


def each_place(few: int, step: int = 1) -> Iterator[Strike]:
    """Strikes at the first place of a call, the next, and so on to the last; the one after that finds no place.

    More than `few` have to be there; all but each `step`-th are left out. Each is to be used before the next is asked
    for.
    """
    for at in count(1, step):
        strike = Strike(at)
        yield strike
        if not strike.place:
            assert at > few, "the interrupts do not come where they are to come"
            return


class Stage:
    """A pair of ends of a face, and what there was before them. `interrupts` have come out of calls."""

    def __init__(self, face: Face) -> None:
        gc.collect()
        gc.freeze()  # what is there stays: the next collection need not look at it
        self.before, self.maps, self.threads = open_fds(), mapped(), threading.active_count()
        self.face = face
        self.interrupts = 0
        self.server, self.client = face.make(server=True), face.make(server=False)
        connect(face, self.server, self.client)

    def call(self, call: Call, end: End) -> None:
        """Make a call, and again if it raises the interrupt of an earlier one, which a callback or a task has met."""
        try:
            call(end)
        except KeyboardInterrupt:
            self.interrupts += 1
            call(end)

    def close(self, what: str, findings: Findings) -> None:
        """Let both ends work once more, close all, and find what is damaged, and what is left."""
        ends = (self.client, self.server)
        for end in ends * _TURNS:
            try:
                self.call(self.face.move, end)
            except BaseException as error:
                findings.note_error(f"work after {what}", error)
        for end in ends:
            for text in self.face.damage(end):
                findings.note(f"damage after {what}", text)
        for end in ends:
            try:
                self.call(self.face.close, end)
            except BaseException as error:
                findings.note(f"close after {what}: {type(error).__name__}", "".join(traceback.format_exception(error)))
        self.server = self.client = end = ends = None  # type: ignore[assignment]
        gc.collect()
        deadline = time.monotonic() + SOON_S / 2  # a thread that has been told to end closes what it has
        while threading.active_count() > self.threads and time.monotonic() < deadline:
            time.sleep(0.001)
        if threading.active_count() > self.threads:
            findings.note(f"threads after {what}", str(threading.enumerate()))
        if (left := open_fds() - self.before) > 0:
            findings.note(f"{left} descriptors after {what}", "")
        if (left := mapped() - self.maps) > 0:
            findings.note(f"{left} mappings after {what}", "")


def _count(face: Face, call: Call, side: str) -> int:
    """How many places the call comes by."""
    stage, strike = Stage(face), Strike(None)
    with suppress(DocaError):
        strike.run(call, getattr(stage, side))
    stage.close("", Findings())
    return strike.count


def strike_once(face: Face, name: str, side: str, at: int, findings: Findings) -> None:
    """Interrupt a call at one place, repeat it, and close everything."""
    call = {**face.calls, **face.ends}[name]
    stage, strike = Stage(face), Strike(at)
    try:
        strike.run(call, getattr(stage, side))
    except KeyboardInterrupt:
        stage.interrupts += 1
    except BaseException as error:
        if strike.place:
            what = f"{type(error).__name__} in place of an interrupt at {strike.place}"
            findings.note(what, f"{side} {name} {at}\n" + "".join(traceback.format_exception(error)))
    what = f"{strike.place} ({side} {name} {at})"
    try:
        stage.call(call, getattr(stage, side))
    except BaseException as error:
        findings.note_error(f"again after {what}", error)
    stage.close(what, findings)
    if strike.place and not stage.interrupts:
        findings.note(f"the interrupt at {strike.place} was lost", f"{side} {name} {at}")


def strikes(face: Face, chance: random.Random) -> Iterator[Callable[[Findings], object]]:
    """Choose a call of one side and a place in it, again and again."""
    names = [*(name for name in face.calls if "for ever" not in name), *face.ends]
    places: dict[tuple[str, str], int] = {}
    while True:
        side, name = chance.choice(("server", "client")), chance.choice(names)
        if (side, name) not in places:
            places[side, name] = _count(face, {**face.calls, **face.ends}[name], side)
        if places[side, name]:
            yield partial(strike_once, face, name, side, chance.randint(1, places[side, name]))


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    sys.exit(attack(strikes, hang_s=SOON_S))
