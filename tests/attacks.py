"""Attacks: rounds against the library until the time is over, by a program, because they may end its process."""

from __future__ import annotations

import faulthandler
import os
import random
import sys
import time
import traceback
from collections.abc import Callable, Iterator

from comch_next import DocaError
from tests import budget
from tests.processes import SOON_S, StartPython
from tests.threads.faces import DUELS, FACES, Face

__all__ = ["SECONDS", "SOON_S", "Attack", "Findings", "attack", "launch"]

SECONDS = budget.seconds(18) / len(DUELS)
# What no text of the library says: it speaks of what the program did.
_RAW = ("NoneType", "object has no attribute", "Bad file descriptor", "closed file", "not in list", "epoll object")


class Findings:
    """What went wrong, each kind with its first round."""

    def __init__(self) -> None:
        self.kinds: dict[str, str] = {}

    def note(self, kind: str, text: str) -> None:
        """Remember the first of each kind, and print it."""
        if kind not in self.kinds:
            self.kinds[kind] = text
            print(f"FINDING {kind}\n{text}", flush=True)

    def note_error(self, what: str, error: BaseException) -> None:
        """Note an exception that is none of the library's own, or that says what a program cannot know."""
        text = str(error)
        if isinstance(error, DocaError) and text and not any(raw in text for raw in _RAW):
            return
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{os.path.basename(frames[-1].filename)}:{frames[-1].lineno}"
        kind = f"{type(error).__name__} at {place}"
        self.note(kind, f"  {what}\n" + "".join(traceback.format_exception(error)))


# Makes rounds without end; each is fought when it is called, and notes what it finds.
Attack = Callable[[Face, random.Random], Iterator[Callable[[Findings], object]]]


def attack(rounds: Attack, hang_s: float) -> int:
    """Fight rounds as the command line asks, FACE SECONDS SEED; return 1 when there are findings.

    A round that takes longer than `hang_s` ends the program.
    """
    name, seconds, seed = sys.argv[1:]
    findings, fought, deadline = Findings(), 0, time.monotonic() + float(seconds)
    fights = rounds(FACES[name], random.Random(int(seed)))
    while time.monotonic() < deadline:
        faulthandler.dump_traceback_later(hang_s, exit=True)
        next(fights)(findings)
        fought += 1
    faulthandler.cancel_dump_traceback_later()
    print(fought, "rounds", len(findings.kinds), "findings")
    return 1 if findings.kinds else 0


def launch(start_python: StartPython, program: str, face: str, form: str) -> None:
    """Run a program of attacks on one face and form of the pull port; fail with what it printed when it found any."""
    print(f"COMCH_STRESS_SEED={budget.SEED}")
    arguments = ("-m", program, face, str(SECONDS), str(budget.SEED))
    finished = start_python(*arguments, env={"COMCH_PULL": form}, deadline_s=SECONDS + 200).finish()
    assert finished.returncode == 0, finished.stdout + finished.stderr
