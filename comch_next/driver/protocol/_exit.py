"""The end of a process: what the library does then.

It comes after what a program does at exit that has imported the library before it asked for that, so that a program may
say its last words there.
"""

import atexit
from contextlib import ExitStack
from threading import get_ident, main_thread

__all__ = ["at_exit", "has_ended"]

_ended: list[bool] = []
_calls = ExitStack()
_calls.callback(_ended.append, True)  # which comes last
at_exit = _calls.callback
atexit.register(_calls.close)


def has_ended() -> bool:
    """Whether all that is done at exit is done, in the thread that goes on: it runs what the interpreter then drops."""
    return bool(_ended) and get_ident() == main_thread().ident
