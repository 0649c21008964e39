"""What a process costs: its seconds, those of the processor, and its memory."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass

from tools.processes import ProcessError, finish, running

__all__ = ["Cost", "cost", "report_cost"]

DEADLINE_S = 900.0


@dataclass(frozen=True)
class Cost:
    """What a process has cost, those that it started among it."""

    seconds: float
    processor_s: float
    peak_mb: float  # of the largest of them


def report_cost() -> None:
    """Print the processor's seconds and the kilobytes that this process has taken, and those that it waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(sum(use.ru_utime + use.ru_stime for use in used), max(use.ru_maxrss for use in used))


def cost(*arguments: str, environment: Mapping[str, str] = os.environ) -> Cost:
    """Run a Python process that reports its cost in the end."""
    before = time.monotonic()
    with running([sys.executable, *arguments], environment) as process:
        ending = finish(process, before + DEADLINE_S)
    if ending.status or "Traceback" in ending.errors:
        raise ProcessError(f"{arguments} failed:\n{ending.errors}")
    processor_s, kilobytes = ending.output.splitlines()[-1].split()
    return Cost(time.monotonic() - before, float(processor_s), float(kilobytes) / 1024)
