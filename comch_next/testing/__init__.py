"""The conformance suite: functions that check a driver. It needs no test framework.

A check takes a maker of a connected pair, and raises AssertionError with what was expected and what was seen:

    for check in CHECKS:
        check(partial(in_one_process, "native"))

`python -m comch_next.testing --driver native` does that, and prints a table. A driver whose two sides live on two
machines brings a maker of its own: a context manager that gives a Pair of objects with the methods of Side.

Layout: Side is one end, Pair two of them, the makers in _pair; the checks by subject in _states, _tasks, _events,
_teardown, _limits, _notifications, _rounds, _fast_path, _fast_streams, _fast_overlaps and _msgq. A check raises Skipped
where the driver lacks what it is about.
"""

from comch_next.testing._checks import CHECKS, Check
from comch_next.testing._pair import Maker, Pair, across_processes, in_one_process
from comch_next.testing._side import Side
from comch_next.testing._waiting import Skipped

__all__ = ["CHECKS", "Check", "Maker", "Pair", "Side", "Skipped", "across_processes", "in_one_process"]
