"""What a blocking channel has from `listen` or `connect` on, until it leaves."""

from __future__ import annotations

import select
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from comch_next._channel import Channel
from comch_next.connection import Connection
from comch_next.driver.protocol import new_lock, suppress_system, uninterrupted
from comch_next.errors import BadState, NotConnected

__all__ = ["Life"]


class Life:
    """Threads may end one while others use it: what they open later is refused, and who waits finds that it has ended.

    `readable` is the descriptor of the channel, which outlives this; `shown`: whether the program has it.
    """

    def __init__(self, readable: select.epoll, *, shown: bool) -> None:
        self.channels: deque[Channel] = deque()  # rotated, so that each has its turn
        self.dialled: Connection | None = None  # a client's
        self.serves = False
        self.shown = shown
        self._lock = new_lock()
        self._closes: list[Callable[[], object]] = []
        self._ended = False
        self._readable = readable

    @uninterrupted
    def keep(self, make: Callable[[], Any]) -> Any:
        """Open something that is closed with this life. Raises NotConnected if that has ended."""
        with self._lock:
            self.refuse_ended()
            opened = make()
            self._closes.append(opened.close)
            return opened

    def end(self) -> None:
        """Close everything, the newest first. Idempotent; after an interrupt it goes on where it was."""
        with self._lock:
            self._ended = True
            self.channels.clear()
            while self._closes:
                with suppress(NotConnected):  # closed just before an interrupt
                    self._closes[-1]()
                self._closes.pop()

    def refuse_ended(self) -> None:
        """Raise NotConnected if it has ended."""
        if self._ended:
            raise NotConnected("the channel has been left meanwhile, by another thread")

    def fileno(self) -> int:
        """Return the descriptor to wait for. Raises NotConnected if the life has ended."""
        with self._lock:
            self.refuse_ended()
            if self._readable.closed:
                raise BadState("the channel was inherited through a fork and belongs to the parent process")
            return int(self._readable.fileno())

    @uninterrupted
    def watch(self) -> None:
        """Have the descriptor report what comes to every channel, until the end."""
        with self._lock:
            self.refuse_ended()
            for channel in self.channels:
                fd = channel.recv_fd
                self._readable.register(fd, select.EPOLLIN)
                self._closes.append(partial(self._unwatch, fd))

    def _unwatch(self, fd: int) -> None:
        with suppress_system(OSError, ValueError):  # the program has closed one of them by itself
            self._readable.unregister(fd)

    def arm(self) -> None:
        """Have the descriptor report what comes from now on."""
        for channel in tuple(self.channels):
            channel.arm_recv()
