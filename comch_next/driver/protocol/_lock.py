"""The lock of an engine: held by one thread at a time, which may take it again.

A forked child finds it free, unless the call that forked holds it: then that gives it back, in the child, too.
"""

from threading import RLock
from typing import Any, TypeAlias

from comch_next.driver.protocol._weak import told_in_child

__all__ = ["LONGEST_S", "Lock", "new_lock"]

LONGEST_S = 5.0  # that one thread waits for another one's progress

# RLock is a function, not a type. As a context manager it is one call in C: no interrupt comes between taking it and
# the block that gives it back.
Lock: TypeAlias = Any


def _set_free(lock: Lock) -> None:
    """In the child: another thread that held it is not here."""
    if not lock._is_owned():
        lock._at_fork_reinit()


_locks = told_in_child(_set_free)


def new_lock() -> Lock:
    """Make a lock."""
    lock = RLock()
    _locks.add(lock)
    return lock
