"""What the faults of several parts of a driver have in common.

Each part has FAULTS, which a check sees at once, and SILENCES, by which something never comes, or a sleep never ends: a
check says so when its time is up.
"""

from __future__ import annotations

from typing import Any

from comch_next._codes import ErrorCode
from comch_next.driver.emulated._task import Task

__all__ = ["Fault", "always", "fail_later", "finish", "finish_twice", "never", "nothing", "swapped"]

Fault = tuple[Any, str, Any, str]  # what has an attribute, its name, the value that breaks it, the check that notices

finish = Task.finish


def nothing(*_: object) -> None:
    """Stands for a step that a driver forgets."""


def never(*_: object) -> bool:
    return False


def always(*_: object) -> bool:
    return True


def swapped(callback: Any) -> Any:
    """A callback that is called for the second of two first."""
    held: list[Any] = []

    def on_either(*told: Any) -> None:
        held.append(told)
        if len(held) == 2:
            callback(*held.pop())
            callback(*held.pop())

    return on_either


def finish_twice(task: Task, status: Any) -> None:
    finish(task, status)
    finish(task, status)


def fail_later(*_: object) -> ErrorCode:
    """A send that is to be refused fails instead, once it has been taken."""
    return ErrorCode.CONNECTION_RESET
