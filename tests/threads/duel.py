"""Threads against each other on one end of a connection: two that work, one that ends it, again and again.

Run as a program, `python -m tests.threads.duel FACE SECONDS SEED`, because what it looks for may end the process.
Prints each finding with the round in which it was made; exits with 1 when there are any.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import random
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from comch_next import DocaError
from tests.attacks import SOON_S, Findings, attack
from tests.descriptors import mapped, open_fds
from tests.threads.faces import Call, End, Face

_TURNS = 60  # of each worker, and as many once its end has come


class Round(NamedTuple):
    """What the threads do to which end."""

    side: str
    ending: str
    works: tuple[str, ...]


def duel(face: Face, plan: Round, findings: Findings) -> None:
    """Fight one round, and clean up after it."""
    before, maps, threads = open_fds(), mapped(), threading.active_count()
    server, client = face.make(server=True), face.make(server=False)
    try:
        connect(face, server, client)
        own, other = (server, client) if plan.side == "server" else (client, server)
        _fight(face, plan, own, other, findings)
    finally:
        for end in (client, server):
            for text in face.damage(end):
                findings.note("damage", f"{plan}: {text}")
            try:
                face.close(end)
            except BaseException as error:
                findings.note(
                    f"close: {type(error).__name__}", f"{plan}\n" + "".join(traceback.format_exception(error))
                )
    if open_fds() > before or mapped() > maps:
        del server, client, end
        gc.collect()
    if mapped() > maps:
        findings.note(f"mappings after {plan.ending}", f"{plan}: {maps} before, {mapped()} after")
    if open_fds() > before:
        left = [
            os.readlink(f"/proc/self/fd/{fd}")
            for fd in os.listdir("/proc/self/fd")
            if os.path.exists(f"/proc/self/fd/{fd}")
        ]
        findings.note(f"descriptors after {plan.ending}", f"{plan}: {before} before, {len(left)} after: {left}")
    if threading.active_count() > threads:
        findings.note("threads", f"{plan}: {threading.enumerate()}")


def connect(face: Face, server: End, client: End) -> None:
    """Open both ends, and wait until they have met."""
    face.open(server)
    face.open(client)
    deadline = time.monotonic() + SOON_S
    while not (face.is_up(client) and face.is_up(server)):
        for end in (server, client):
            with suppress(DocaError):
                face.move(end)
        assert time.monotonic() < deadline, "the ends did not meet in time"


def _fight(face: Face, plan: Round, own: End, other: End, findings: Findings) -> None:
    ready, ended, over = threading.Barrier(len(plan.works) + 1), threading.Event(), threading.Event()

    def work(name: str) -> None:
        call = face.calls[name]
        ready.wait(SOON_S)
        left = _TURNS
        while left and not over.is_set():
            left -= ended.is_set()
            _call(f"{name} in {plan}", call, own, findings)

    def move() -> None:
        while not over.is_set():
            _call(f"the other end in {plan}", face.move, other, findings)

    workers = [threading.Thread(target=work, args=(name,), daemon=True, name=name) for name in plan.works]
    mover = threading.Thread(target=move, daemon=True, name="other end")
    for thread in (*workers, mover):
        thread.start()
    ready.wait(SOON_S)
    time.sleep(random.random() * 0.003)  # the end comes at any moment of the work: there is no condition to wait for
    _call(f"{plan.ending} in {plan}", face.ends[plan.ending], own, findings)
    ended.set()
    for worker in workers:
        if "for ever" in worker.name and plan.ending != "close":
            _until_dead(worker, own, face)
        worker.join(SOON_S)
        if worker.is_alive():
            faulthandler.dump_traceback(all_threads=True)
            findings.note(f"hang of {worker.name} by {plan.ending}", str(plan))
            raise SystemExit(1)
    over.set()
    mover.join(SOON_S)


def _until_dead(worker: threading.Thread, own: End, face: Face) -> None:
    """Close under a call that waits for ever, until it notices."""
    with suppress(DocaError):
        own.context.close()


def _call(what: str, call: Callable[[End], object] | Call, end: End, findings: Findings) -> None:
    try:
        call(end)
    except BaseException as error:
        findings.note_error(what, error)


def plans(face: Face, chance: random.Random) -> list[Round]:
    """Every call against every ending on either side, in a new order."""
    rounds = [
        Round(side, ending, (work, chance.choice(list(face.calls))))
        for side in ("client", "server")
        for ending in face.ends
        for work in face.calls
    ]
    chance.shuffle(rounds)
    return rounds


def duels(face: Face, chance: random.Random) -> Iterator[Callable[[Findings], object]]:
    """Make every plan again and again."""
    while True:
        for plan in plans(face, chance):
            yield partial(duel, face, plan)


if __name__ == "__main__":
    sys.setswitchinterval(0.00001)
    sys.exit(attack(duels, hang_s=3 * SOON_S))  # threads that spin may keep one from its lock for long
