"""How tasks of an event loop take turns, and how they wait for a descriptor that is ready once for each arming."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal

from comch_next.driver.protocol import shielded, uninterrupted
from comch_next.engine import wait_readable
from comch_next.errors import NotSupported

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


class Ready:
    """A descriptor that is ready once for each arming, and all the tasks that wait for it."""

    def __init__(self, get_fd: Callable[[], int], arm: Callable[[], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._get_fd = get_fd
        self._arm = arm
        self._fd = -1  # while the loop watches it
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
        if not self._waiters or (self._fd >= 0 and wait_readable(lambda: self._fd, 0.0)):
            return  # arming would forget that it is ready
        try:
            self._arm()
            self._read(self._get_fd())
        except Exception as error:
            self.wake(error)

    def _read(self, fd: int) -> None:
        try:
            self._loop.add_reader(fd, self.wake)
        except NotImplementedError:
            text = f"aio needs an event loop with add_reader, which {type(self._loop).__name__} lacks"
            raise NotSupported(f"{text}; run it in asyncio.SelectorEventLoop") from None
        self._fd = fd

    def _unwatch(self) -> None:
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            self._fd = -1
