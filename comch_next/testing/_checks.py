"""All checks: every function of the modules below whose name begins with check_."""

from collections.abc import Callable

from comch_next.testing import (
    _events,
    _fast_overlaps,
    _fast_path,
    _fast_streams,
    _limits,
    _msgq,
    _notifications,
    _rounds,
    _states,
    _tasks,
    _teardown,
)
from comch_next.testing._pair import Maker

__all__ = ["CHECKS", "Check"]

Check = Callable[[Maker], None]
"""A function that checks one behaviour on pairs that it has made. Raises AssertionError, or Skipped."""

_CONTROL = (_states, _tasks, _events, _teardown, _limits, _notifications, _rounds)
_FAST = (_fast_path, _fast_streams, _fast_overlaps)

CHECKS: tuple[Check, ...] = tuple(
    value for module in (*_CONTROL, *_FAST, _msgq) for name, value in vars(module).items() if name.startswith("check_")
)
"""Every check, in the order in which the command runs them."""
