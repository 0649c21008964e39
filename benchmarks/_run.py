"""Runs the pairs of processes, round after round, each rival in every round."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from benchmarks._plan import Plan
from tools.processes import ProcessError, finish, read_until, running

__all__ = ["Row", "idle_share", "measure"]

PAIR_DEADLINE_S = 60.0


@dataclass(frozen=True)
class Row:
    """One rival at one message size; a value per round."""

    name: str
    size: int
    p50_us: tuple[float, ...]
    p99_us: tuple[float, ...]
    rate: tuple[float, ...]  # messages per second, one way

    def as_json(self) -> dict[str, object]:
        """The medians, and what they were taken from."""
        medians = {key: median(getattr(self, key)) for key in ("p50_us", "p99_us", "rate")}
        return {"name": self.name, "size": self.size, **medians, "rounds": {key: getattr(self, key) for key in medians}}


def measure(names: Sequence[str], plan: Plan, progress: Callable[[str], None]) -> list[Row]:
    """All rivals, interleaved: a slow spell of the machine meets everyone. `progress` hears what is running."""
    found: dict[tuple[str, int], list[dict[str, float]]] = {}
    for number in range(plan.rounds):
        for name in names:
            progress(f"round {number + 1} of {plan.rounds}: {name}")
            for values in run_pair(name, plan):
                found.setdefault((name, int(values["size"])), []).append(values)
    return [
        Row(name, size, *(tuple(value[key] for value in values) for key in ("p50_us", "p99_us", "rate")))
        for (name, size), values in found.items()
    ]


def run_pair(name: str, plan: Plan) -> list[dict[str, float]]:
    """One pair of pinned processes; what the measuring end found, per size."""
    cpus = sorted(os.sched_getaffinity(0))
    deadline = time.monotonic() + PAIR_DEADLINE_S
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        command = [sys.executable, "-m", "benchmarks._side"]
        rest = [name, folder, json.dumps(asdict(plan))]
        environment = {**os.environ, "COMCH_RUNTIME_DIR": folder}
        with running([*command, "serve", str(cpus[-1]), *rest], environment) as service:
            read_until(service, "listening", deadline)
            with running([*command, "connect", str(cpus[0]), *rest], environment) as client:
                ending = finish(client, deadline)
            served = finish(service, deadline if ending.status == 0 else time.monotonic())
    if ending.status or served.status:
        raise ProcessError(f"{name} failed:\n{ending.errors}{served.errors}")
    return json.loads(ending.output)  # type: ignore[no-any-return]


def idle_share(plan: Plan) -> float:
    """The share of a processor that a blocking receive takes while nothing comes."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        environment = {**os.environ, "COMCH_RUNTIME_DIR": str(Path(folder))}
        command = [sys.executable, "-m", "benchmarks._idle", str(plan.idle_s)]
        with running(command, environment) as process:
            ending = finish(process, time.monotonic() + plan.idle_s + PAIR_DEADLINE_S)
    if ending.status:
        raise ProcessError(f"idle failed:\n{ending.errors}")
    return float(ending.output)
