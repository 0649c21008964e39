"""The end of a process: what the library does then.

It runs after the exit functions that the program has registered since it imported the library, so these can still use
its connections.
"""

import atexit
from contextlib import ExitStack
from threading import get_ident, main_thread

from comch_next.driver.protocol._shield import shielded

__all__ = ["at_exit", "has_ended", "wait_at_exit"]

_ended: list[bool] = []
_calls, _waits = ExitStack(), ExitStack()
_calls.callback(_ended.append, True)  # which comes last
at_exit = _calls.callback
wait_at_exit = _waits.callback  # before these, for what waits for the program's own code: a signal may end that
atexit.register(shielded(_calls.close))
atexit.register(_waits.close)


def has_ended() -> bool:
    """Return whether the exit functions have run, in the thread in which the interpreter then drops what is left."""
    return bool(_ended) and get_ident() == main_thread().ident
