"""Runs the processes that measure, round after round, each rival in every round.

Each process has a deadline. Whatever hangs, dies or writes something else is named as not measured, is left out of the
rounds that follow, and nobody else is concerned.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial

from benchmarks import _compiled, _migrate
from benchmarks._compiled import COMPILED, command
from benchmarks._crowded import CROWDED
from benchmarks._death import SURVIVORS
from benchmarks._findings import Findings, Row, Series
from benchmarks._plan import Plan
from benchmarks._storm import SERVERS, storm
from benchmarks.rivals import CARRIERS, IMMEDIATE, RIVALS, SLEEPERS, absence
from tools.processes import ProcessError, finish, read_until, running

__all__ = ["deaths", "idle_share", "large_receive", "measure", "run", "run_pair", "storms"]

PAIR_DEADLINE_S = 60.0
KILLS_DEADLINE_S = 120.0

Progress = Callable[[str], None]
Absent = dict[str, str]  # what is not measured, and why
Measured = Mapping[str, float]  # a row of one round

# What a pair measures in a scene: the sizes of its rows, and how many clients are silent meanwhile.
ROWS: Mapping[str, Callable[[Plan], list[tuple[int, int]]]] = {
    "messages": lambda plan: [(size, 0) for size in plan.sizes],
    "crowded": lambda plan: [(plan.sizes[0], 0), (plan.sizes[0], plan.crowd)],
}


def run(plan: Plan, size: _migrate.Size, progress: Progress) -> Findings:
    """Everything; `size` is of what migrate gets. `progress` hears what is running."""
    absent: Absent = {name: why for name in (*RIVALS, *SLEEPERS) if (why := absence(name)) is not None}
    if (why := _compiled.absence()) is not None:
        absent |= dict.fromkeys(COMPILED, why)
    return Findings(
        spinning=[
            *measure((*RIVALS, *COMPILED), plan, absent, progress),
            *measure(tuple(IMMEDIATE), plan.immediate(), absent, progress),
            *measure(tuple(CARRIERS), plan.bulk(), absent, progress),
        ],
        sleeping=measure(tuple(SLEEPERS), plan.asleep(), absent, progress),
        crowded=measure(CROWDED, plan, absent, progress, scene="crowded"),
        storms=storms(plan, absent, progress),
        deaths=deaths(plan, absent, progress),
        idle_share=idle_share(plan, absent, progress),
        large_receive=large_receive(plan, absent, progress),
        migrate=migrate(size, absent, progress),
        absent=absent,
    )


@contextmanager
def _surviving(name: str, absent: Absent) -> Iterator[None]:
    """The block measures that; note why it could not."""
    try:
        yield
    except (ProcessError, OSError, subprocess.SubprocessError) as error:
        absent[name] = str(error).strip()


def measure(names: Sequence[str], plan: Plan, absent: Absent, progress: Progress, scene: str = "messages") -> list[Row]:
    """These rivals, interleaved: a slow spell of the machine meets everyone."""
    labels = {name: name if scene == "messages" else f"{name}, {scene}" for name in names}
    found: dict[str, list[list[Measured]]] = {name: [] for name in names}
    for number in range(plan.rounds):
        for name, label in labels.items():
            if label not in absent:
                progress(f"{scene}, round {number + 1} of {plan.rounds}: {name}")
                with _surviving(label, absent):
                    found[name].append(run_pair(name, plan, scene))
    return [
        _row(name, values)
        for name, rounds in found.items()
        if labels[name] not in absent
        for values in zip(*rounds, strict=True)
    ]


def _row(name: str, values: Sequence[Measured]) -> Row:
    p50, p99, rate = (tuple(value[key] for value in values) for key in ("p50_us", "p99_us", "rate"))
    return Row(name, int(values[0]["size"]), p50, p99, rate, int(values[0]["idle"]))


@contextmanager
def _folder() -> Iterator[tuple[str, Mapping[str, str]]]:
    """A folder to meet in, and the environment that says so."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        yield folder, {**os.environ, "COMCH_RUNTIME_DIR": folder}


def run_pair(name: str, plan: Plan, scene: str = "messages") -> list[Measured]:
    """One pair of pinned processes; what the measuring end found, per row of the table."""
    cpus = sorted(os.sched_getaffinity(0))
    deadline = time.monotonic() + PAIR_DEADLINE_S
    with _folder() as (folder, environment):
        end = partial(_command, name, scene, folder, plan)
        with running(end("serve", cpus[-1]), environment) as service:
            read_until(service, "listening", deadline)
            with running(end("connect", cpus[0]), environment) as client:
                ending = finish(client, deadline)
            if ending.status:
                service.kill()  # what it wrote may tell why
            served = finish(service, deadline)
    if ending.status or served.status:
        raise ProcessError(f"{name} failed:\n{ending.errors}{served.errors}")
    return _rows(ending.output, ROWS[scene](plan))


def _command(name: str, scene: str, folder: str, plan: Plan, side: str, cpu: int) -> list[str]:
    """The command of one end."""
    if name in COMPILED:
        return command(name, side, cpu, plan)
    program = [sys.executable, "-m", "benchmarks._side", side, str(cpu)]
    return [*program, scene, name, folder, json.dumps(asdict(plan))]


def _rows(text: str, expected: Sequence[tuple[int, int]]) -> list[Measured]:
    """What a measuring end has printed: rows of these sizes and numbers of silent clients."""
    try:
        rows: list[Measured] = [{"idle": 0, "rate": 0.0, **row} for row in json.loads(text)]
        sound = [(row["size"], row["idle"]) for row in rows] == expected
        sound = sound and all(row["p50_us"] > 0 and row["p99_us"] > 0 and row["rate"] >= 0 for row in rows)
    except (ValueError, TypeError, KeyError):
        sound = False
    if not sound:
        raise ProcessError(f"what it printed is no table of its round trips: {text[:200]!r}")
    return rows


def storms(plan: Plan, absent: Absent, progress: Progress) -> list[Series]:
    """Milliseconds of each storm, for each way of a server to let clients in."""
    found: dict[str, list[float]] = {name: [] for name in SERVERS}
    for number in range(plan.storms):
        for name in SERVERS:
            if (label := f"connect storm, {name}") not in absent:
                progress(f"storm {number + 1} of {plan.storms}: {plan.crowd} clients connect, {name}")
                with _surviving(label, absent), _folder() as (_, environment):
                    found[name].append(storm(name, plan.crowd, environment))
    return [Series(name, tuple(values)) for name, values in found.items() if f"connect storm, {name}" not in absent]


def deaths(plan: Plan, absent: Absent, progress: Progress) -> list[Series]:
    """Milliseconds from each kill to its report, for each way of a survivor to hear of it."""
    found = []
    for name in SURVIVORS:
        progress(f"{plan.kills} kills: {name}")
        with _surviving(f"death notice, {name}", absent):
            output = _output("benchmarks._death", name, str(plan.kills), deadline_s=KILLS_DEADLINE_S)
            found.append(Series(name, tuple(json.loads(output))))
    return found


def idle_share(plan: Plan, absent: Absent, progress: Progress) -> float | None:
    """The share of a processor that a blocking receive takes while nothing comes."""
    progress(f"a blocking receive idles for {plan.idle_s:g} s")
    with _surviving("blocking receive, idle", absent):
        return float(_output("benchmarks._idle", str(plan.idle_s), deadline_s=plan.idle_s + PAIR_DEADLINE_S))
    return None


def large_receive(plan: Plan, absent: Absent, progress: Progress) -> float | None:
    """What receiving one of the largest messages costs, in copies of as many bytes."""
    progress(f"{plan.large} rounds of the largest messages")
    with _surviving("largest messages", absent):
        return float(_output("benchmarks._large", str(plan.large), deadline_s=PAIR_DEADLINE_S))
    return None


def migrate(size: _migrate.Size, absent: Absent, progress: Progress) -> Mapping[str, float]:
    """What `_migrate` finds, nothing if a part of it fails."""
    with _surviving("migrate", absent):
        return _migrate.measure(size, progress)
    return {}


def _output(module: str, *arguments: str, deadline_s: float) -> str:
    """What a measuring process of its own prints."""
    with _folder() as (_, environment):
        with running([sys.executable, "-m", module, *arguments], environment) as process:
            ending = finish(process, time.monotonic() + deadline_s)
    if ending.status:
        raise ProcessError(f"{module} failed:\n{ending.errors}")
    return ending.output
