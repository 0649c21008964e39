"""One end of a measured pair, in a process of its own: python -m benchmarks._side SIDE CPU SCENE RIVAL FOLDER PLAN."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from benchmarks import _crowded
from benchmarks._plan import Plan
from benchmarks.rivals import rival
from benchmarks.rivals._end import End


def follow(end: End, plan: Plan) -> None:
    """The serving end: echo, count, and say when all has come."""
    for size in plan.sizes:
        end.echo(plan.warm_up + plan.pings)
        end.receive_many(plan.messages)
        end.send(bytes(size))
    end.receive()  # the other end has what it wanted


def lead(end: End, plan: Plan) -> list[dict[str, float]]:
    """The measuring end: round trips, then messages one way until the other end has them all."""
    found = []
    for size in plan.sizes:
        data = bytes(size)
        round_trips = end.percentiles(data, plan)
        before = time.perf_counter()
        end.send_many(data, plan.messages)
        end.receive()
        elapsed = time.perf_counter() - before
        found.append({"size": size, **round_trips, "rate": plan.messages / elapsed})
    end.send(b"x")
    return found


# What a pair does: its serving end, its measuring end.
SCENES = {"messages": (follow, lead), "crowded": (_crowded.follow, _crowded.lead)}


def main(side: str, cpu: str, scene: str, name: str, folder: str, plan_text: str) -> None:
    os.sched_setaffinity(0, {int(cpu)})
    plan = Plan(**json.loads(plan_text))
    serving, measuring = SCENES[scene]
    if side == "serve":
        end = rival(name).serve(Path(folder), lambda: print("listening", flush=True))
        serving(end, plan)
    else:
        end = rival(name).connect(Path(folder))
        print(json.dumps(measuring(end, plan)))
    end.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
