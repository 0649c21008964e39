"""The helper thread of the threaded pull port: it drives one engine's progress while the program does not."""

from __future__ import annotations

import math
import select
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import ref

from comch_next._codes import State
from comch_next._threaded._channels import Bell, drain
from comch_next._threaded._guarded import GuardedDriver
from comch_next.driver.protocol import (
    Finalized,
    WeakSet,
    by_system,
    has_ended,
    raised_of,
    signals_blocked,
    told_in_child,
    uninterrupted,
    wait_at_exit,
)
from comch_next.errors import BadState, InvalidValue, NoMemory

if TYPE_CHECKING:
    from comch_next._threaded._port import ThreadedPort
    from comch_next.engine import ProgressEngine

__all__ = ["Helper"]

_TICK_S = 0.01
_ON_THE_WAY = (State.STARTING, State.STOPPING)


class Helper:
    """One per engine with threaded ports; the thread lives while one is open, and the program has the engine.

    `lock` is held around every call of the driver, so callbacks hold it, too. The program's own progress, and
    every call of a port, take a turn as well: the thread is there for a program that sleeps.
    """

    def __init__(self, engine: ProgressEngine) -> None:
        self.driver = engine._driver
        self.lock: Any = engine._lock
        self.ports: WeakSet[ThreadedPort] = WeakSet()
        self.contexts: WeakSet[Any] = WeakSet()  # all of the engine
        for context in engine._connected():
            self.contexts.add(context._handle)
        self.moves = 0  # turns that moved something
        self.seen = 0  # those that the program's own progress has reported
        self.bell = Bell()  # the engine's notification handle, as the program sees it
        self.busy = False
        self._turned_s = 0.0  # when the last turn was over
        self._engines = engine._driver.engines
        self._pe = engine._handle
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None
        self._wake: Bell | None = None  # rouses the thread, while there is one
        self._dropped: _Dropped | None = None
        self._asleep = False
        engine._bind(GuardedDriver(self))
        _helpers.add(self)

    # Taking turns; the lock is held

    @uninterrupted
    def turn(self, *, asked: bool = False) -> bool:
        """Progress once, unless a callback is running, it is to rest, or all ports are closed, perhaps with the engine.

        Keeps what a callback raised. asked: see `rest`.
        """
        if self.busy or not self.ports or self.rest(asked=asked):
            return False
        self.busy = True
        try:
            moved = self._engines.progress(self._pe)
        except BaseException as error:
            self._error, moved = raised_of(self._error, error), True
        finally:
            self.busy = False
            self._turned_s = time.monotonic()
        if moved:
            self.moves += 1
            self.bell.ring()
        return moved

    def poll(self, *, asked: bool = False) -> None:
        """A turn in the name of the program: what a callback raised is raised here.

        After exit, when there is no thread any more, all turns that move something.
        """
        while self.turn(asked=asked) and has_ended():
            pass
        self.raise_kept()

    def raise_kept(self) -> None:
        """Raise what a callback has raised, once, but not inside of another one."""
        if self._error is not None and not self.busy:
            error, self._error = self._error, None
            try:
                raise error
            finally:
                del error  # or its traceback, which has this frame, holds it and what the callback was given

    def rest(self, *, asked: bool = False) -> float:
        """Seconds for which full ports hold progress back: for ever, unless the program waits for it, or asks for it.

        It waits for the end of a send on any port, for a context that is starting or stopping, or for the engine.
        """
        if not any(port.is_full() for port in self.ports):
            return 0.0
        if not (asked or self.bell.armed or self._is_awaited()):
            return math.inf
        pace = max(port.pace() for port in self.ports)
        return max(0.0, self._turned_s + pace - time.monotonic())

    def _is_awaited(self) -> bool:
        get_state = self.driver.contexts.get_state
        return any(port.awaits_sends() for port in self.ports) or any(
            get_state(context) in _ON_THE_WAY for context in self.contexts
        )

    def wake(self) -> None:
        """Wake the thread: there may be something new to do, or to wait for."""
        if self._asleep and self._wake is not None:
            self._wake.ring()
            self._asleep = False  # last: after an interrupt the next call does it again

    def port_of(self, context: Any) -> ThreadedPort | None:
        """The open port of a context's handle."""
        return next((port for port in self.ports if port.handle is context), None)

    # The thread

    def enter(self, port: ThreadedPort) -> None:
        """Add a port that opens."""
        with self.lock:
            if self._thread is None:
                self._start()
            assert self._wake is not None
            self.ports.add(port)
            port.dropped = _Dropped(self._wake)

    def _start(self) -> None:
        """The thread is a daemon, so that a program that never closes can end; it is ended before the program."""
        wake, handle = Bell(), self._engines.get_notification_handle(self._pe)
        wake.arm()
        thread = threading.Thread(target=_run, args=(ref(self), wake, handle), name="comch-progress", daemon=True)
        self._wake = wake
        try:
            with signals_blocked():
                thread.start()
        except by_system(RuntimeError) as error:
            self._wake = None
            raise NoMemory(f"pull port: {error}") from error
        self._thread = thread
        self._dropped = _Dropped(wake)

    def leave(self, port: ThreadedPort) -> None:
        """Remove a port that closes; the last one ends the thread. Idempotent."""
        with self.lock:
            self.ports.discard(port)
            port.dropped = None
            thread = None if self.ports else self._release()
        self._await(thread)

    def end(self) -> None:
        """End the thread. Idempotent.

        It may come to that by itself, where the collector runs what closes the last port and destroys the engine.
        """
        thread = self._thread
        if thread is None or not thread.is_alive():  # not alive: in a forked process
            return
        with self.lock:
            released = self._release() if self._thread is thread else None  # else another thread has ended it
        self._await(released)

    def _release(self) -> threading.Thread | None:
        """Have the thread end, if there is one, and return it. The lock is held."""
        thread, self._thread, self._wake, self._asleep = self._thread, None, None, False
        self._dropped = None  # which rouses the thread
        return thread

    def _await(self, thread: threading.Thread | None) -> None:
        if not (thread is None or self.busy or thread is threading.current_thread()):
            thread.join()  # else it ends after the callback, or by itself

    def disinherit(self) -> None:
        """In a forked child: the thread is the parent's, and so is all that it drives."""
        self.lock = _ParentsLock()
        if self._dropped is not None:
            self._dropped.wake = None

    def work(self, wake: Bell) -> float | None:
        """Turn while something moves. For how long progress then has to rest; None when the thread is to end."""
        while (lock := self._enter(wake)) is not None:
            try:
                if not self.ports:  # the program has dropped the last one
                    self._release()
                    return None
                rest = self.rest()
                if not rest:
                    if self.turn():
                        continue
                    with suppress(InvalidValue):  # see `end`
                        self._engines.request_notification(self._pe)
                self._asleep = True
                return rest
            finally:
                lock.release()
        return None

    def woken(self, wake: Bell, rest: float) -> None:
        """Note that the thread's sleep is over, of which so much was to be rest."""
        if (lock := self._enter(wake)) is not None:
            try:
                self._asleep = False
                drain(wake.fd)
                if not rest:
                    with suppress(InvalidValue):  # see `end`
                        self._engines.clear_notification(self._pe, 0)
            finally:
                lock.release()

    def _enter(self, wake: Bell) -> Any:
        """Take the lock and return it; None if the thread is to end: whoever ends it holds the lock and waits for it.

        A callback may fork before it is given back: the child finds another one in its place.
        """
        while self._wake is wake:
            lock = self.lock
            if lock.acquire(timeout=_TICK_S):
                if self._wake is wake:
                    return lock
                lock.release()
        return None


class _Dropped(Finalized):
    """What only the helper has, or a port, so that its end rouses the thread."""

    def __init__(self, wake: Bell) -> None:
        self.wake: Bell | None = wake

    def finalize(self) -> None:
        if self.wake is not None:
            self.wake.ring()


def _run(known: Callable[[], Helper | None], wake: Bell, handle: int) -> None:
    """Run the thread of a helper, which it does not hold while it sleeps: what the program has dropped is garbage.

    `wake` is closed when neither the thread nor the helper needs it any more.
    """
    engine_or_wake, only_wake = select.poll(), select.poll()
    engine_or_wake.register(handle, select.POLLIN)
    for poller in (engine_or_wake, only_wake):
        poller.register(wake.fd, select.POLLIN)
    while (rest := _work(known(), wake)) is not None:
        if rest:
            only_wake.poll(None if rest == math.inf else math.ceil(rest * 1000))
        else:
            engine_or_wake.poll()
        if (helper := known()) is not None:
            helper.woken(wake, rest)
        del helper


def _work(helper: Helper | None, wake: Bell) -> float | None:
    return None if helper is None else helper.work(wake)


class _ParentsLock(AbstractContextManager[object]):
    """What a forked child finds in place of the lock: the thread is the parent's, and so is all that it drives."""

    def acquire(self, timeout: float = -1) -> NoReturn:
        text = "this port was inherited through a fork and belongs to the parent process"
        raise BadState(f"{text}; a child makes its own contexts and engines")

    def __enter__(self) -> NoReturn:
        self.acquire()

    def __exit__(self, *exc: object) -> None:
        """Never entered."""


_helpers = told_in_child(Helper.disinherit)


@wait_at_exit
def _end_all() -> None:
    for helper in list(_helpers):
        helper.end()
