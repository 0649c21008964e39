"""Threads of a DPA: each runs one kernel, whenever it is activated, on a thread of this process."""

import os
import select
import threading
from collections.abc import Callable
from enum import Enum, auto
from typing import Any, NoReturn

from comch_next.driver.emulated._checks import collecting, expect_callback
from comch_next.driver.emulated._dpa.handles import living
from comch_next.driver.emulated._dpa.instance import Dpa, started_dpa
from comch_next.driver.emulated._guard import UNCONNECTED, guard
from comch_next.driver.emulated._kernel import calls
from comch_next.driver.emulated._kernel.fork import owned
from comch_next.driver.emulated._kernel.handle import Handle
from comch_next.driver.protocol import (
    WeakSet,
    by_system,
    counted,
    enter_kernel,
    leave_kernel,
    signals_blocked,
    suppress_system,
    them,
    uninterrupted,
)
from comch_next.errors import BadConfig, BadState, InUse, NoMemory, TimeOut

__all__ = ["DpaThread", "DpaThreads", "finish", "reschedule"]


class Phase(Enum):
    """Where a thread is in its life."""

    STOPPED = auto()
    STARTED = auto()  # it exists, and nothing activates its kernel yet
    RUNNING = auto()  # its kernel runs, or waits for an activation
    FINISHED = auto()  # its kernel never runs again


class _Ended(BaseException):
    """Leaves a kernel."""


class _Rescheduled(_Ended):
    """It is to run again when it is activated."""


class _Finished(_Ended):
    """It is never to run again."""


def reschedule() -> NoReturn:
    """Leave the kernel until the next activation."""
    raise _Rescheduled


def finish() -> NoReturn:
    """Leave the kernel for good."""
    raise _Finished


class DpaThread(Handle):
    """A handle. `watch` is what its thread sleeps on: bells of consumers, and a counter that the host wakes it with."""

    lock = UNCONNECTED

    def __init__(self, dpa: Dpa, device_calls: Callable[["DpaThread"], object]) -> None:
        self.dpa = dpa
        self._calls = device_calls(self)
        self.func: Callable[[Any], object] | None = None
        self.arg: Any = None
        self.storage: Any = None
        self.phase = Phase.STOPPED
        self.alive = True
        self.attached: WeakSet[object] = WeakSet()  # completion contexts that wake it
        self._activated = self._stopping = False
        self._bells: dict[int, Callable[[], None]] = {}
        self._thread: threading.Thread | None = None
        try:
            self._watch = select.epoll()
            self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
            owned(self)  # which gives both back, whatever comes
            self._watch.register(self._wake, select.EPOLLIN)
        except by_system(OSError) as error:
            raise NoMemory(f"dpa_thread_create: {error}") from error
        dpa.users.add(self)

    def __str__(self) -> str:
        if self.func is None:
            return "DPA thread of no function"
        return f"DPA thread of {getattr(self.func, '__qualname__', type(self.func).__name__)}"

    def let_go(self) -> None:
        self._thread = None  # it has ended, or is the parent's
        self._watch.close()
        if self._wake >= 0:
            os.close(self._wake)
            self._wake = -1

    # What activates it

    @property
    def active(self) -> bool:
        """Whether it has been started, and not stopped."""
        return self.phase is not Phase.STOPPED

    def activate(self) -> None:
        """Have the kernel run, after the run that goes on, if any."""
        self._activated = True
        if threading.current_thread() is not self._thread:  # else it sees that before it sleeps
            self._rouse()

    def _rouse(self) -> None:
        with suppress_system(OSError):  # it is being given back
            os.eventfd_write(self._wake, 1)

    def dpa_failed(self) -> None:
        """Its instance has failed: no kernel runs any more."""
        self._stopping = True
        self._rouse()

    def listen(self, bell: int, rung: Callable[[], None]) -> None:
        """Call `rung` on its thread whenever the bell rings."""
        self._watch.register(bell, select.EPOLLIN)
        self._bells[bell] = rung

    def unlisten(self, bell: int) -> None:
        """Stop listening to a bell, which is still open. Idempotent."""
        if self._bells.pop(bell, None) is not None:
            self._watch.unregister(bell)

    # Its life

    def start(self) -> None:
        """Begin to wait for activations. Raises BadState unless its DPA is started and whole."""
        self._stopping = self._activated = False  # before it is asked: a failure that comes then ends the thread
        started_dpa(self.dpa, "dpa_thread_start")
        starting = threading.Thread(target=self._serve, name=str(self), daemon=True)
        try:
            with signals_blocked():
                starting.start()
        except by_system(RuntimeError) as error:
            raise NoMemory(f"dpa_thread_start: {error}") from error
        self._thread, self.phase = starting, Phase.STARTED  # a stop takes no lock, and joins what has been started

    def stop(self, timeout: float | None) -> None:
        """End it after the kernel's run. Raises TimeOut, with its name, where that does not end."""
        self._stopping = True
        self._rouse()
        ending = self._thread
        if ending is None:  # another thread has just stopped and destroyed it
            return
        ending.join(timeout if timeout is None else min(timeout, threading.TIMEOUT_MAX))
        if ending.is_alive():
            text = f"dpa_thread_stop: the kernel of the {self} has not ended within {timeout} s; have it reschedule or"
            raise TimeOut(f"{text} finish, and stop the thread again")
        if self._thread is ending:  # else another thread of the program has stopped it too, and started it again
            self.phase = Phase.STOPPED

    def _serve(self) -> None:
        enter_kernel(self._calls)
        calls.enter_kernel()  # for what runs in C
        try:
            while self._await_activation() and self._run_kernel():
                pass
        finally:
            calls.leave_kernel()
            leave_kernel()
        if self.phase is Phase.RUNNING:
            self.phase = Phase.FINISHED

    def _await_activation(self) -> bool:
        """Whether the kernel is to run now; False once the thread ends."""
        while not self._stopping:
            if self._activated and self.phase is Phase.RUNNING:
                self._activated = False
                return True
            for fd, _ in self._watch.poll():
                if fd == self._wake:
                    with suppress_system(BlockingIOError):
                        os.eventfd_read(self._wake)
                elif (rung := self._bells.get(fd)) is not None:
                    rung()
        return False

    def _run_kernel(self) -> bool:
        """Run the kernel. Whether it is to run again."""
        assert self.func is not None
        try:
            self.func(self.arg)
        except _Rescheduled:
            return True
        except _Finished:
            return False
        except SystemExit as error:
            self.dpa.fail(error)
            raise RuntimeError(f"the kernel of the {self} raised SystemExit") from error  # which nobody would print
        except BaseException as error:
            self.dpa.fail(error)
            raise  # for threading.excepthook, which prints it
        return False


_living = living(DpaThread)
_known = guard("dpa_thread_", _living)


def _stopped(thread: DpaThread, call: str) -> None:
    if thread.active:
        raise BadState(f"{call} was attempted on the {thread}, which is started; it is legal before")


class DpaThreads:
    """The noun DpaThreads of the driver protocol."""

    def __init__(self, device_calls: Callable[[DpaThread], object]) -> None:
        self._device_calls = device_calls  # of a thread

    @uninterrupted
    def create(self, dpa: object) -> DpaThread:
        return DpaThread(started_dpa(dpa, "dpa_thread_create"), self._device_calls)

    @_known
    def set_func_arg(self, thread: DpaThread, func: Callable[[Any], object], arg: Any) -> None:
        expect_callback(func, "dpa_thread_set_func_arg")
        _stopped(thread, "dpa_thread_set_func_arg")
        thread.func, thread.arg = func, arg

    @_known
    def set_local_storage(self, thread: DpaThread, storage: Any) -> None:
        _stopped(thread, "dpa_thread_set_local_storage")
        thread.storage = storage

    @uninterrupted  # else a thread could run that nobody can stop
    @_known
    def start(self, thread: DpaThread) -> None:
        _stopped(thread, "dpa_thread_start")
        if thread.func is None:
            raise BadConfig("dpa_thread_start: the function is missing; call set_func_arg")
        thread.start()

    @_known
    @uninterrupted  # else its kernel might never run
    def run(self, thread: DpaThread) -> None:
        if thread.phase is not Phase.STARTED:
            state = thread.phase.name
            raise BadState(f"dpa_thread_run was attempted on the {thread} while {state}; it is legal while STARTED")
        thread.phase = Phase.RUNNING
        thread.activate()

    def stop(self, thread: object, timeout: float | None) -> None:
        found = _living(thread, "dpa_thread_stop")
        if not found.active:
            raise BadState(f"dpa_thread_stop was attempted on the {found}, which is not started")
        found.stop(timeout)  # without the lock, for as long as the kernel takes

    @uninterrupted  # the threading module forgets a thread in Python, where what a signal raises would be lost
    @collecting(DpaThread, lambda thread: thread.attached.size)
    @_known
    def destroy(self, thread: DpaThread) -> None:
        if thread.active:
            raise InUse(f"dpa_thread_destroy was attempted on the {thread}, which is started; stop it first")
        if number := thread.attached.size:
            what = counted(number, "completion context wakes", "completion contexts wake")
            raise InUse(f"dpa_thread_destroy: {what} the {thread}; destroy {them(number)} first")
        thread.alive = False
        thread.dpa.users.discard(thread)
        thread.let_go()


os.register_at_fork(after_in_child=calls.leave_kernel)  # also where a kernel has forked
