"""python -m benchmarks [--quick]: measure every rival, show the tables, write build/bench.json and build/bench.svg.

A full run is kept as its commit's in build/bench-history, and build/bench-history.svg shows the trend of several.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

from rich.console import Console

from benchmarks import _history, _migrate
from benchmarks._plan import FULL, QUICK, Plan
from benchmarks._report import content_of, machine, show, write
from benchmarks._run import run
from benchmarks._targets import targets
from tools.processes import ROOT, ProcessError


def choose_plan(console: Console, quick: bool) -> Plan:
    """The plan for this machine: where both ends share one processor, each must wait for the other's time slice."""
    plan = QUICK if quick else FULL
    if len(os.sched_getaffinity(0)) > 1:
        return plan
    console.print("[bold]One CPU only:[/] both ends take turns on it, so these numbers say little; fewer are taken.")
    return replace(plan, rounds=1, pings=100, warm_up=5, messages=10_000, sleeps=100)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and messages: about a minute; not kept")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "bench.json", help="where the numbers go")
    args = parser.parse_args(argv)
    console = Console(highlight=False)
    where = machine()
    console.print(", ".join(f"{name} {value}" for name, value in where.items()), soft_wrap=True)
    plan = choose_plan(console, args.quick)
    try:
        with console.status("starting") as status:
            found = run(plan, _migrate.QUICK if args.quick else _migrate.FULL, status.update)
    except ProcessError as error:
        console.print(str(error), style="red", markup=False)
        return 1
    reached = [*targets(found), *_migrate.targets(found.migrate)]
    show(console, found, reached)
    content = content_of(
        where, f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC", _history.commit(ROOT), found, reached
    )
    written = [args.output, write(args.output, content)]
    if not args.quick:
        written += keep(args.output.with_name(f"{args.output.stem}-history"), content)
    console.print(f"written: {', '.join(map(str, written))}", soft_wrap=True)
    return 0


def keep(folder: Path, content: Mapping[str, object]) -> list[Path]:
    """Add a run to the history, where it has a commit. What was written: its file, and the trend once there is one."""
    if content["commit"] is None:
        return []
    written = [_history.keep(folder, content)]
    runs = _history.comparable(_history.load(folder))
    if len(runs) > 1:
        written.append(folder.with_suffix(".svg"))
        written[-1].write_text(_history.trend(runs), encoding="utf-8")
    return written


if __name__ == "__main__":
    sys.exit(main())
