"""How tasks of an event loop take turns, and how they wait for a descriptor that is ready once for each arming."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Literal

from comch_next.driver.protocol import Finalized, Lock, by_system, shielded, uninterrupted
from comch_next.engine import wait_readable
from comch_next.errors import NoMemory, NotSupported

__all__ = ["Event", "Ready", "Turn"]

_SHARE = 64  # sends or receives that may follow each other before the loop's other work has its turn


class Event(asyncio.Event):
    """An event of asyncio that wakes all or none.

    A future that gets a result wakes its task by a call of the loop's: an interrupt between the two would leave the
    task asleep for ever, even if it is cancelled. So whatever gives results, here and below, is uninterrupted.
    """

    set = uninterrupted(asyncio.Event.set)


class Turn(asyncio.Lock):
    """One task at a time, the first to come first; a task that never has to wait lets others work now and then."""

    def __init__(self) -> None:
        super().__init__()
        self._taken = 0

    async def acquire(self) -> Literal[True]:
        await super().acquire()
        self._taken += 1
        if self._taken % _SHARE == 0:
            try:
                await asyncio.sleep(0)
            except BaseException:
                self.release()
                raise
        return True

    release = uninterrupted(asyncio.Lock.release)


class Ready(Finalized):
    """A descriptor that is ready once for each arming, and all the tasks that wait for it.

    The loop watches a duplicate: another thread may close the descriptor, whose number is then that of another one, and
    a loop that watches one number twice hears of neither.
    """

    _fd = -1  # the duplicate

    def __init__(self, get_fd: Callable[[], int], arm: Callable[[], None], lock: Lock) -> None:
        """lock: held by whoever closes the descriptor."""
        self._loop = asyncio.get_running_loop()
        self._get_fd = get_fd
        self._arm = arm
        self._lock = lock
        self._origin = -1  # what it duplicates
        self._watched = False  # by the loop
        self._due = False  # it is going to be armed, for all who came to wait in this turn of the loop
        self._waiters: dict[asyncio.Future[None], None] = {}

    async def wait(self, timeout: float | None = None) -> None:
        """Sleep until it is ready, `wake` is called, or some seconds have passed. Raises what arming raises."""
        waiter = self._loop.create_future()
        self._waiters[waiter] = None
        try:
            if not self._due:
                self._loop.call_soon(shielded(self._watch))
                self._due = True  # last: an interrupt between the two costs a second arming only
            if timeout is None:
                await waiter
            else:
                await asyncio.wait([waiter], timeout=timeout)
        finally:
            self._waiters.pop(waiter, None)
            if not self._waiters:
                self._unwatch()
        if waiter.done():
            waiter.result()

    @uninterrupted
    def wake(self, error: Exception | None = None) -> None:
        """Wake all waiting tasks, in the order in which they came: the event may be for any of them."""
        for waiter in list(self._waiters):
            if waiter.done():
                continue  # cancelled, or woken before
            if error is None:
                waiter.set_result(None)
            else:
                waiter.set_exception(error)
        self._unwatch()

    def _watch(self) -> None:
        self._due = False
        if not self._waiters or (self._watched and wait_readable(lambda: self._fd, 0.0)):
            return  # arming would forget that it is ready
        try:
            self._arm()
            with self._lock:
                self._duplicate(self._get_fd())
            self._read()
        except Exception as error:
            self.wake(error)

    def _duplicate(self, fd: int) -> None:
        if fd == self._origin:
            return
        self.close()
        try:
            self._fd, self._origin = os.dup(fd), fd
        except by_system(OSError) as error:
            raise NoMemory(f"aio cannot watch a descriptor: {error}") from error

    def _read(self) -> None:
        try:
            self._loop.add_reader(self._fd, self.wake)
        except NotImplementedError:
            text = f"aio needs an event loop with add_reader, which {type(self._loop).__name__} lacks"
            raise NotSupported(f"{text}; run it in asyncio.SelectorEventLoop") from None
        self._watched = True

    def _unwatch(self) -> None:
        if self._watched:
            self._loop.remove_reader(self._fd)
            self._watched = False

    def close(self) -> None:
        """Give the duplicate back; a later wait makes another. Idempotent."""
        self._unwatch()
        self.finalize()

    def finalize(self) -> None:
        fd, self._fd, self._origin = self._fd, -1, -1
        if fd >= 0:
            os.close(fd)
