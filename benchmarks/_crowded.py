"""What silent clients cost an active one: its round trips with a server of its own, then among a crowd."""

from __future__ import annotations

import os
import time

from benchmarks._crowd import crowd
from benchmarks._plan import Plan
from benchmarks.rivals._end import End

__all__ = ["CROWDED", "follow", "lead"]

CROWDED = ("comch_next tasks", "comch_next send/receive")
CROWD_DEADLINE_S = 30.0


def follow(end: End, plan: Plan) -> None:
    """The serving end: echo; whoever else connects meanwhile is let in by the way."""
    end.echo(2 * (plan.warm_up + plan.pings))
    end.receive()


def lead(end: End, plan: Plan) -> list[dict[str, float]]:
    """The measuring end: the same round trips twice, the crowd comes between them."""
    size = plan.sizes[0]
    found = [{"size": size, "idle": 0, **end.percentiles(bytes(size), plan)}]
    with crowd(plan.crowd, os.environ, time.monotonic() + CROWD_DEADLINE_S) as connect:
        connect()
        found.append({"size": size, "idle": plan.crowd, **end.percentiles(bytes(size), plan)})
    end.send(b"x")
    return found
