"""The clock of waits, which runs on while a program's tests have put another one in the place of those of `time`."""

from functools import partial
from time import CLOCK_MONOTONIC, clock_gettime

__all__ = ["monotonic"]

monotonic = partial(clock_gettime, CLOCK_MONOTONIC)  # seconds, as time.monotonic
