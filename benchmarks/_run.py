"""Runs the processes that measure, round after round, each rival in every round."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict

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


def run(plan: Plan, size: _migrate.Size, progress: Progress) -> Findings:
    """Everything; `size` is of what migrate gets. `progress` hears what is running."""
    absent = {name: why for name in (*RIVALS, *SLEEPERS) if (why := absence(name)) is not None}
    if (why := _compiled.absence()) is not None:
        absent |= dict.fromkeys(COMPILED, why)
    present = [name for name in (*RIVALS, *COMPILED) if name not in absent]
    return Findings(
        spinning=[
            *measure(present, plan, progress),
            *measure(tuple(IMMEDIATE), plan.immediate(), progress),
            *measure(tuple(CARRIERS), plan.bulk(), progress),
        ],
        sleeping=measure(tuple(SLEEPERS), plan.asleep(), progress),
        crowded=measure(CROWDED, plan, progress, scene="crowded"),
        storms=storms(plan, progress),
        deaths=deaths(plan, progress),
        idle_share=idle_share(plan, progress),
        large_receive=large_receive(plan, progress),
        absent=absent,
        migrate=_migrate.measure(size, progress),
    )


def measure(names: Sequence[str], plan: Plan, progress: Progress, scene: str = "messages") -> list[Row]:
    """These rivals, interleaved: a slow spell of the machine meets everyone."""
    found: dict[tuple[str, int, int], list[dict[str, float]]] = {}
    for number in range(plan.rounds):
        for name in names:
            progress(f"{scene}, round {number + 1} of {plan.rounds}: {name}")
            for values in run_pair(name, plan, scene):
                found.setdefault((name, int(values["size"]), int(values.get("idle", 0))), []).append(values)
    return [_row(name, size, idle, values) for (name, size, idle), values in found.items()]


def _row(name: str, size: int, idle: int, values: Sequence[Mapping[str, float]]) -> Row:
    p50, p99, rate = (tuple(value.get(key, 0.0) for value in values) for key in ("p50_us", "p99_us", "rate"))
    return Row(name, size, p50, p99, rate, idle)


@contextmanager
def _folder() -> Iterator[tuple[str, Mapping[str, str]]]:
    """A folder to meet in, and the environment that says so."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        yield folder, {**os.environ, "COMCH_RUNTIME_DIR": folder}


def run_pair(name: str, plan: Plan, scene: str = "messages") -> list[dict[str, float]]:
    """One pair of pinned processes; what the measuring end found, per row of the table."""
    cpus = sorted(os.sched_getaffinity(0))
    deadline = time.monotonic() + PAIR_DEADLINE_S
    with _folder() as (folder, environment):

        def end(side: str, cpu: int) -> list[str]:
            if name in COMPILED:
                return command(name, side, cpu, plan)
            program = [sys.executable, "-m", "benchmarks._side", side, str(cpu)]
            return [*program, scene, name, folder, json.dumps(asdict(plan))]

        with running(end("serve", cpus[-1]), environment) as service:
            read_until(service, "listening", deadline)
            with running(end("connect", cpus[0]), environment) as client:
                ending = finish(client, deadline)
            served = finish(service, deadline if ending.status == 0 else time.monotonic())
    if ending.status or served.status:
        raise ProcessError(f"{name} failed:\n{ending.errors}{served.errors}")
    return json.loads(ending.output)  # type: ignore[no-any-return]


def storms(plan: Plan, progress: Progress) -> list[Series]:
    """Milliseconds of each storm, for each way of a server to let clients in."""
    found: dict[str, list[float]] = {name: [] for name in SERVERS}
    for number in range(plan.storms):
        for name in SERVERS:
            progress(f"storm {number + 1} of {plan.storms}: {plan.crowd} clients connect, {name}")
            with _folder() as (_, environment):
                found[name].append(storm(name, plan.crowd, environment))
    return [Series(name, tuple(values)) for name, values in found.items()]


def deaths(plan: Plan, progress: Progress) -> list[Series]:
    """Milliseconds from each kill to its report, for each way of a survivor to hear of it."""
    found = []
    for name in SURVIVORS:
        progress(f"{plan.kills} kills: {name}")
        output = _output("benchmarks._death", name, str(plan.kills), deadline_s=KILLS_DEADLINE_S)
        found.append(Series(name, tuple(json.loads(output))))
    return found


def idle_share(plan: Plan, progress: Progress) -> float:
    """The share of a processor that a blocking receive takes while nothing comes."""
    progress(f"a blocking receive idles for {plan.idle_s:g} s")
    return float(_output("benchmarks._idle", str(plan.idle_s), deadline_s=plan.idle_s + PAIR_DEADLINE_S))


def large_receive(plan: Plan, progress: Progress) -> float:
    """What receiving one of the largest messages costs, in copies of as many bytes."""
    progress(f"{plan.large} rounds of the largest messages")
    return float(_output("benchmarks._large", str(plan.large), deadline_s=PAIR_DEADLINE_S))


def _output(module: str, *arguments: str, deadline_s: float) -> str:
    """What a measuring process of its own prints."""
    with _folder() as (_, environment):
        with running([sys.executable, "-m", module, *arguments], environment) as process:
            ending = finish(process, time.monotonic() + deadline_s)
    if ending.status:
        raise ProcessError(f"{module} failed:\n{ending.errors}")
    return ending.output
