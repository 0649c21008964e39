"""The helper thread of the threaded pull port: it drives one engine's progress while the program does not."""

from __future__ import annotations

import atexit
import os
import select
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from comch_next._codes import State
from comch_next._guarded import GuardedDriver

if TYPE_CHECKING:
    from comch_next._threaded import Port
    from comch_next.engine import ProgressEngine

__all__ = ["Bell", "Helper"]

_ON_THE_WAY = (State.STARTING, State.STOPPING)


class Bell:
    """An eventfd that is rung while it is armed, and stays readable until it is armed again."""

    def __init__(self) -> None:
        self.fd = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self.armed = False

    def arm(self) -> None:
        """Forget what was, and be ready for what comes."""
        self.disarm()
        self.armed = True

    def disarm(self) -> None:
        """Not ready, and not going to be."""
        _drain(self.fd)
        self.armed = False

    def ring(self) -> None:
        """Be ready until the next arming, if armed."""
        if self.armed:
            os.eventfd_write(self.fd, 1)

    def close(self) -> None:
        os.close(self.fd)


def _drain(fd: int) -> None:
    with suppress(BlockingIOError):
        os.eventfd_read(fd)


class Helper:
    """One per engine with threaded ports; the thread lives while one is open.

    `lock` is held around every call of the driver, so callbacks hold it, too. The program's own progress, and
    every call of a port, take a turn as well: the thread is there for a program that sleeps.
    """

    def __init__(self, engine: ProgressEngine) -> None:
        self.driver = engine._driver
        self.lock = threading.RLock()
        self.ports: list[Port] = []
        self.contexts: list[Any] = [context._handle for context in engine._contexts]  # handles, all of the engine
        self.moves = 0  # turns that moved something
        self.seen = 0  # what the program's own progress has told of them
        self.bell = Bell()  # the engine's notification handle, as the program sees it
        self.busy = False
        self._engines = engine._driver.engines
        self._pe = engine._handle
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None
        self._wake = -1  # rouses the thread; -1: there is none
        self._asleep = False
        engine._go_through(GuardedDriver(self))

    # Taking turns; the lock is held

    def turn(self) -> bool:
        """Progress once, unless a callback is running or a port is full. Keeps what a callback raised."""
        if self.busy or self.held():
            return False
        self.busy = True
        try:
            moved = self._engines.progress(self._pe)
        except BaseException as error:
            self._error, moved = self._error or error, True
        finally:
            self.busy = False
        if moved:
            self.moves += 1
            self.bell.ring()
        return moved

    def look(self) -> None:
        """A turn in the name of the program: what a callback raised is raised here."""
        self.turn()
        if self._error is not None and not self.busy:
            error, self._error = self._error, None
            raise error

    def held(self) -> bool:
        """Whether a full port holds progress back; a context that is starting or stopping needs it all the same."""
        if not any(port.full() for port in self.ports):
            return False
        get_state = self.driver.contexts.get_state
        return not any(get_state(context) in _ON_THE_WAY for context in self.contexts)

    def wake(self) -> None:
        """There may be something new to do, or to wait for."""
        if self._asleep and self._wake >= 0:
            self._asleep = False
            os.eventfd_write(self._wake, 1)

    def port_of(self, context: Any) -> Port | None:
        """The open port of a context's handle."""
        return next((port for port in self.ports if port.handle is context), None)

    # The thread

    def enter(self, port: Port) -> None:
        """A port opens."""
        with self.lock:
            if self._thread is None:
                self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
                run = threading.Thread(target=self._run, args=(self._wake,), name="comch-progress", daemon=True)
                run.start()
                self._thread = run
                atexit.register(self._end)  # a daemon, so that a program that never closes can end; it ends first
            self.ports.append(port)

    def leave(self, port: Port) -> None:
        """A port closes; the last one ends the thread. Harmless when it has closed."""
        with self.lock:
            if port in self.ports:
                self.ports.remove(port)
            last = not self.ports
        if last:
            self._end()

    def _end(self) -> None:
        thread, wake = self._thread, self._wake
        if thread is None or not thread.is_alive():  # not alive: in a forked process
            return
        with self.lock:
            self._thread, self._wake, self._asleep = None, -1, False
            os.eventfd_write(wake, 1)
        atexit.unregister(self._end)
        if not self.busy:  # else a callback closes: the thread ends after it
            thread.join()

    def _run(self, wake: int) -> None:
        handle = self._engines.get_notification_handle(self._pe)
        engine_or_wake, only_wake = select.poll(), select.poll()
        engine_or_wake.register(handle, select.POLLIN)
        for poller in (engine_or_wake, only_wake):
            poller.register(wake, select.POLLIN)
        while True:
            with self.lock:
                if self._wake != wake:
                    break
                if self.turn():
                    continue
                held = self.held()
                if not held:
                    self._engines.request_notification(self._pe)
                self._asleep = True
            (only_wake if held else engine_or_wake).poll()
            with self.lock:
                if self._wake != wake:
                    break
                self._asleep = False
                _drain(wake)
                if not held:
                    self._engines.clear_notification(self._pe, 0)
        os.close(wake)
