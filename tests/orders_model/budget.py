"""How long the state machines run: a fixed set of orders, or new ones for COMCH_STRESS_SECONDS."""

from __future__ import annotations

import os
import time

from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

__all__ = ["SECONDS", "run"]

SECONDS = float(os.environ.get("COMCH_STRESS_SECONDS", "0"))


def run(machine: type[RuleBasedStateMachine], examples: int, steps: int = 50) -> None:
    """The same examples in every run, or, under stress, new ones until the time is over."""
    profile = settings(
        max_examples=examples,
        stateful_step_count=steps,
        derandomize=not SECONDS,
        deadline=None,  # an event of the other side may take a millisecond or two
        database=None,  # a failure prints its steps; nothing is left in the checkout
        suppress_health_check=list(HealthCheck),
    )
    end = time.monotonic() + SECONDS
    run_state_machine_as_test(machine, settings=profile)
    while time.monotonic() < end:
        run_state_machine_as_test(machine, settings=profile)
