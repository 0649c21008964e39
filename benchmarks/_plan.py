"""How much is measured: a plan that both ends of a pair follow."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["FULL", "QUICK", "Plan"]


@dataclass(frozen=True)
class Plan:
    """Counts of one round, and the number of rounds."""

    rounds: int
    pings: int
    messages: int  # of the one-way measurement
    warm_up: int  # round trips that are not counted
    idle_s: float
    sizes: tuple[int, ...] = (64, 4080)  # bytes


FULL = Plan(rounds=7, pings=20_000, messages=200_000, warm_up=2_000, idle_s=10.0)
QUICK = Plan(rounds=3, pings=4_000, messages=30_000, warm_up=500, idle_s=2.0)
