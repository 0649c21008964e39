"""What a blocking channel has from `listen` or `connect` on, until it leaves."""

from __future__ import annotations

import select
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from comch_next._channel import Channel
from comch_next.connection import Connection
from comch_next.driver.protocol import new_lock, told_in_child, uninterrupted
from comch_next.errors import BadState, NotConnected

__all__ = ["Life"]


class Life:
    """Threads may end one while others use it: what they open later is refused, what they wait for is closed."""

    def __init__(self) -> None:
        self.channels: deque[Channel] = deque()  # rotated, so that each has its turn
        self.dialled: Connection | None = None  # a client's
        self.serves = False
        self.shown = False  # whether the program has the descriptor
        self._lock = new_lock()
        self._closes: list[Callable[[], object]] = []
        self._ended = False
        self._readable = self.keep(select.epoll)
        _lives.add(self)

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

    def disinherit(self) -> None:
        """In a forked child: the channels are the parent's."""
        self._readable.close()

    def watch(self) -> None:
        """Have the descriptor report what comes to every channel."""
        with self._lock:
            self.refuse_ended()
            for channel in self.channels:
                self._readable.register(channel.recv_fd, select.EPOLLIN)

    def arm(self) -> None:
        """Have the descriptor report what comes from now on."""
        for channel in tuple(self.channels):
            channel.arm_recv()


_lives = told_in_child(Life.disinherit)
