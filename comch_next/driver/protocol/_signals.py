"""Calls that no handler of a signal interrupts: an exception that it raises comes when the call has ended.

For those that open, close or move something in steps: half of them would leave descriptors, names or places in a pool
behind. Callbacks of the program may be interrupted all the same. Python runs handlers on the main thread, so only there
signals are held back; one that arrives on a thread of the program's own meets the handler at once, as it does in C.
"""

import errno
import os
import signal

# signal's own makes an enum of every number, which takes a tenth of a millisecond.
from _signal import sigpending  # type: ignore[import-not-found]
from collections.abc import Callable
from functools import wraps
from threading import get_ident, main_thread
from typing import Generic, ParamSpec, TypeVar

from comch_next.driver.protocol._shield import HeldSignals, handlers_run_on, held, shielded
from comch_next.driver.protocol._system import by_system

__all__ = [
    "MASKED",
    "Own",
    "interruptible",
    "signals_blocked",
    "too_large_raises",
    "uninterrupted",
    "uninterrupted_in_c",
]

_P = ParamSpec("_P")
_T = TypeVar("_T")

_main = main_thread().ident or 0
handlers_run_on(_main)
_before: list[HeldSignals] = []  # what knows what the main thread held back before such a call, while it is in one
MASKED = _before  # for C code, which calls the program back through `interruptible` as long as there is anything in it


def uninterrupted(call: Callable[_P, _T]) -> Callable[_P, _T]:
    """Decorate a call: signals wait for its end."""

    @wraps(call)
    def uninterruptible(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        if _before or get_ident() != _main:
            return call(*args, **kwargs)
        with HeldSignals(_before):
            return call(*args, **kwargs)

    return uninterruptible


def uninterrupted_in_c(call: Callable[..., _T]) -> Callable[..., _T]:
    """Make such a call that C makes, and only once: a signal that comes before its first line does not prevent it.

    On another thread than the main one, where no handler runs, it is that call.
    """
    return held(_before, call)


def signals_blocked() -> HeldSignals:
    """Block the program's signals: a thread that starts here inherits that, so sigwait and signalfd miss none."""
    return HeldSignals()


def too_large_raises(call: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Have a file that grows beyond RLIMIT_FSIZE raise OSError only: SIGXFSZ ends a program that does not ignore it.

    Python does, a C program does not. A SIGXFSZ that somebody has sent is the program's.
    """
    with HeldSignals(None, signal.SIGXFSZ):
        was_sent = signal.SIGXFSZ in sigpending()
        try:
            return call(*args, **kwargs)
        except by_system(OSError) as error:
            if error.errno == errno.EFBIG and not was_sent:
                signal.sigtimedwait({signal.SIGXFSZ}, 0)
            raise


class Own(Generic[_P, _T]):
    """A callback that is the library's own, and not the program's: signals wait for the call that it comes from."""

    __slots__ = ("_callback",)

    def __init__(self, callback: Callable[_P, _T]) -> None:
        self._callback = callback

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return self._callback(*args, **kwargs)


def interruptible(callback: Callable[..., _T], *args: object) -> _T:
    """Call the program back, perhaps from within such a call: signals interrupt it as ever."""
    if not _before or get_ident() != _main or isinstance(callback, Own):
        return callback(*args)
    before, early = _before.pop(), None
    try:
        try:
            before.let_in()
        except BaseException as error:  # by a signal that has come before the callback, which is not lost by it
            early = error
        try:
            return callback(*args)
        finally:
            if early is not None:  # whatever the callback raises: that is its context
                try:
                    raise early
                finally:
                    del early  # or its traceback, which has this frame, holds it and the callback's arguments
    finally:
        try:
            before.hold()  # first, or an interrupt after the other skips it
        finally:
            _before.append(before)


def _begin_anew() -> None:
    """In a forked child: its one thread is the main one."""
    global _main
    _main = get_ident()
    handlers_run_on(_main)
    _before.clear()


os.register_at_fork(after_in_child=shielded(_begin_anew))
