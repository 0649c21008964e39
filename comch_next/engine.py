"""The progress engine (guide: DOCA Core Progress Engine)."""

import math
import os
import select
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec

from comch_next._alone import alone
from comch_next._exits import exit_block, refuse_again
from comch_next._names import CNames, Strict, spelled
from comch_next._origins import shown
from comch_next._quick import quicken
from comch_next.driver import load
from comch_next.driver.protocol import (
    Driver,
    Lock,
    OnError,
    WeakSet,
    by_system,
    collect_garbage,
    has_ended,
    monotonic,
    new_lock,
    quoted,
)
from comch_next.errors import BadState, InUse, InvalidValue

if TYPE_CHECKING:
    from comch_next._settings import Configured
    from comch_next._threaded._helper import Helper
    from comch_next.context import Context

__all__ = ["ProgressEngine", "deadline_after", "seconds_left", "wait_readable"]

_P = ParamSpec("_P")
_NAP_MS, _LONGEST_MS = 1e3, 1e9  # of one poll; it takes no more at once


def deadline_after(timeout: float | None, call: str) -> float | None:
    """Return when a wait ends, in seconds of the monotonic clock; None: never. InvalidValue for an invalid timeout."""
    try:
        if timeout is None or timeout >= 0:  # NaN is not
            return None if timeout is None else monotonic() + timeout
    except by_system(TypeError, ValueError, ArithmeticError):  # whatever a number of another kind makes of it
        pass
    raise InvalidValue(f"{call} takes a timeout of 0 or more seconds, or None, not {quoted(timeout)}")


def seconds_left(deadline: float | None, most: float = math.inf) -> float:
    """Return the seconds until the deadline (monotonic), at most `most`; 0 once it has come.

    A loop that waits calls it in every round: other contexts and connections may keep it busy for ever.
    """
    return most if deadline is None else max(0.0, min(most, deadline - monotonic()))


def wait_readable(descriptor: Callable[[], int], deadline: float | None, *, once: bool = False) -> bool:
    """Sleep until the descriptor is readable; False when the clock reaches the deadline (seconds, monotonic) before.

    While there are other threads, `descriptor` is called again each second: another thread may have closed it, which
    wakes no poll, and then the call raises. `once`: return False after a second, so that the caller looks whether
    another thread has taken what made it readable. Raises BadState for a wait without a limit after the process's exit
    functions: nothing could end it.
    """
    if deadline is None and has_ended():
        text = "a wait without a limit was attempted after the process had left all its connections at exit"
        raise BadState(f"{text}; it might never end, give it a timeout")
    most_ms = _NAP_MS  # at first: a wait that is short does not count threads
    while True:
        poller = select.poll()
        poller.register(descriptor(), select.POLLIN)
        left_ms = None if deadline is None else max(0.0, (deadline - monotonic()) * 1000)
        if poller.poll(most_ms if left_ms is None else min(left_ms, most_ms)):
            return True
        if once or (left_ms is not None and left_ms <= most_ms):
            return False
        most_ms = _LONGEST_MS if _has_one_thread() else _NAP_MS


def _has_one_thread() -> bool:
    """Whether the process has no other thread, be it one that Python does not know; False where Linux does not tell."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except by_system(OSError):
        return False


def _collecting(call: Callable[_P, None]) -> Callable[_P, None]:
    """Decorate a call that is refused while something uses what it ends: that may be garbage, which is then collected.

    Without a lock: finalizers of the program, which run then, may wait for one.
    """

    @wraps(call)
    def collected(*args: _P.args, **kwargs: _P.kwargs) -> None:
        with suppress(InUse):
            call(*args, **kwargs)
            return
        collect_garbage()
        call(*args, **kwargs)

    return collected


@spelled
class ProgressEngine(CNames, Strict):
    """An engine that delivers completions and events to contexts, in `progress` (C: struct doca_pe)."""

    def __init__(self, driver: str | None = None, *, max_events: int | None = None, _lock: Lock | None = None) -> None:
        """Create an engine (C: doca_pe_create). Raises NoMemory when memory or descriptors have run out.

        max_events: see the attribute of that name. Raises InvalidValue unless it is None or a number from 1 on.
        """
        self._driver = load(driver)
        self._engines = self._driver.engines
        self._lock = _lock or new_lock()  # around every call, of its contexts too
        self._open = True
        self._pid = os.getpid()
        self._contexts: WeakSet[Context] = WeakSet()  # and others, which it has not come to: see _connected
        self._awaited: WeakSet[Configured] = WeakSet()  # that are connected when the library makes them
        self._helper: Helper | None = None  # see comch_next._threaded
        self._on_connected: Callable[[Context], object] | None = None  # called on the thread that connects one
        self._view = self._driver
        handle = self._engines.create(self._lock)
        try:
            self._handle = handle
            if max_events is not None:
                self._engines.set_max_events(handle, max_events)
            self._quicken_calls()
        except BaseException:
            self._engines.destroy(handle)
            raise

    def _bind(self, driver: Driver) -> None:
        """Make every call of this engine and its contexts through another view of the same driver."""
        self._view = driver
        self._engines = driver.engines
        self._quicken_calls()
        for context in self._connected():
            context._bind(driver)

    def _connected(self) -> "list[Context]":
        """The contexts that are connected to it, and have not been given another engine since."""
        return [context for context in list(self._contexts) if context._engine is self]

    def _quicken_calls(self) -> None:
        engines, handle = self._engines, self._handle
        quicken(self, "progress", lambda _: engines.quick_progress(handle))
        quicken(self, "request_notification", lambda _: engines.quick_request(handle))
        quicken(self, "clear_notification", lambda _: engines.quick_clear(handle))

    def progress(self) -> bool:
        """Run the callbacks that are due, without waiting, and return whether anything moved (C: doca_pe_progress).

        NVIDIA's header has each call run the callback of one task or event. One call here runs more, which spares a
        program calls: up to 64 messages, up to 64 completed receives of each consumer, every completed send, and
        every event that was found. Set `max_events` to 1 in a program that counts on one for each call.
        Raises what a callback raised, at the end; BadState inside a callback that it has called. One that `start` or
        `stop` has called, to report a state, may call it.
        """
        return self._engines.progress(self._handle)

    def _raise_kept(self) -> None:
        """Raise what a callback has raised in a turn of the helper thread, which has brought what a call waited for."""
        if self._helper is not None:
            with self._helper.lock:
                self._helper.raise_kept()

    def _hand_errors_to(self, on_error: OnError) -> None:
        """Have `on_error(error)` called for what callbacks raise in progress, perhaps on the helper thread."""
        self._engines.hand_errors_to(self._handle, on_error)

    @property
    def max_events(self) -> int | None:
        """The most callbacks of messages, completions and events that one `progress` runs; None: see `progress`.

        With a limit nothing is lost or starves: later calls deliver the rest, each kind in its turn, and report changes
        of state that a callback causes. `progress` then returns True as long as anything moves, also in calls that run
        no callback. Setting it raises BadState where `progress` does, InvalidValue unless it is None or a number from 1
        on.
        """
        return self._engines.get_max_events(self._handle)

    @max_events.setter
    def max_events(self, number: int | None) -> None:
        self._engines.set_max_events(self._handle, number)

    def connect_ctx(self, context: "Context") -> None:
        """Connect a context to this engine (C: doca_pe_connect_ctx).

        Raises NotPermitted if it has an engine, BadState unless it is IDLE.

        A context whose settings are incomplete is connected when they are complete.
        """
        take = getattr(context, "_take_engine", None)
        if take is None or isinstance(context, type):
            raise InvalidValue(f"connect_ctx takes a context, not {shown(context)}")
        take(self)

    def _connect(self, context: "Context") -> None:
        """Connect what the library has made of a context."""
        if context._driver not in (self._driver, self._view):
            raise InvalidValue(f"connect_ctx: {context!r} is not a context of this engine's driver {self._driver.name}")
        self._contexts.add(context)
        before, context._engine = context._engine, self  # first: what the library has done stays done
        try:
            self._engines.connect_ctx(self._handle, context._handle)
        except BaseException:
            context._engine = before
            raise
        context._lock = self._lock
        if self._view is not self._driver:
            context._bind(self._view)
        if self._on_connected is not None:
            self._on_connected(context)

    @property
    def notification_handle(self) -> int:
        """A descriptor for epoll, readable after `request_notification` when progress has something to do."""
        return self._engines.get_notification_handle(self._handle)

    def fileno(self) -> int:
        """Return the notification handle, so that select and selectors take the engine itself."""
        return self.notification_handle

    def request_notification(self) -> None:
        """Arm the notification handle once (C: doca_pe_request_notification)."""
        self._engines.request_notification(self._handle)

    def clear_notification(self, handle: int = 0) -> None:
        """Disarm the notification handle after a wake-up; 0: the engine's own (C: doca_pe_clear_notification)."""
        self._engines.clear_notification(self._handle, handle)

    @property
    def num_inflight_tasks(self) -> int:
        """The number of submitted tasks of all contexts that have not completed."""
        return self._engines.get_num_inflight_tasks(self._handle)

    def wait(self, timeout: float | None = None) -> bool:
        """Sleep until progress has something to do; return False if `timeout` seconds pass first.

        Raises InvalidValue if the timeout is negative or not a number.
        """
        deadline = deadline_after(timeout, "wait")

        def armed() -> int:
            self.request_notification()  # again: another thread that waited, too, has disarmed it
            return self.notification_handle

        ready = wait_readable(armed, deadline)
        self.clear_notification()
        return ready

    @_collecting
    @alone
    def destroy(self, *, strict: bool = False) -> None:
        """Destroy the engine (C: doca_pe_destroy). Raises InUse while contexts are connected to it.

        A second call does nothing; with `strict` it raises InvalidValue, as in C.
        """
        if self._open:
            if waiting := self._waiting():
                raise InUse(f"pe_destroy: {waiting[0]!r} is to be connected; destroy it first")
            self._engines.destroy(self._handle)
            self._open = False
        elif strict:
            refuse_again(self)

    def _waiting(self) -> "list[Configured]":
        """The contexts that are connected to it once the library makes them."""
        return [context for context in self._awaited if context._waits_for(self)]

    def __enter__(self) -> "ProgressEngine":
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        exit_block(self, error, self.destroy)
