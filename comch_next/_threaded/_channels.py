"""Descriptors that are rung: eventfds with one-shot arming."""

from __future__ import annotations

import os

from comch_next.driver.protocol import Finalized, by_system, suppress_system, told_in_child, uninterrupted
from comch_next.errors import BadState, NoMemory, OperatingSystem

__all__ = ["Bell", "Channels", "drain", "new_eventfd"]

_OF_CLIENTS = ("recv", "service")  # the channels that report a new client


def new_eventfd() -> int:
    """An eventfd that never blocks. Raises NoMemory when descriptors have run out."""
    try:
        return os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
    except by_system(OSError) as error:
        raise NoMemory(f"pull port: {error}") from error


def drain(fd: int) -> None:
    """Make an eventfd unreadable. Raises OperatingSystem when the program has closed it."""
    try:
        os.eventfd_read(fd)
    except by_system(BlockingIOError):
        pass
    except by_system(OSError) as error:
        raise OperatingSystem(f"pull port: its descriptor cannot be read: {error}") from error


class Bell(Finalized):
    """An eventfd that is rung while it is armed, and stays readable until it is armed again. Closed when dropped."""

    fd = -1

    def __init__(self) -> None:
        self.fd = new_eventfd()
        self.armed = False
        _open.add(self)

    def arm(self) -> None:
        """Forget what has happened, and be ready for what comes."""
        self.disarm()
        self.armed = True

    def disarm(self) -> None:
        """Stop being ready, and stay so until the next arming. Raises BadState when another thread has closed it."""
        if self.fd < 0:
            raise BadState("the descriptor that was to be used has been closed, perhaps by another thread")
        drain(self.fd)
        self.armed = False

    def ring(self) -> None:
        """Be ready until the next arming, if armed; a closed one stays silent."""
        if self.armed:
            os.eventfd_write(self.fd, 1)

    def close(self) -> None:
        """Close it. Idempotent: its number may soon be another descriptor's."""
        fd, self.fd, self.armed = self.fd, -1, False
        if fd >= 0:
            with suppress_system(OSError):  # the program has closed it by itself
                os.close(fd)

    finalize = close


_open = told_in_child(Bell.close)  # the parent goes on ringing them


class Channels:
    """The bells of a port by name (send, recv, service), made when first asked for."""

    def __init__(self) -> None:
        self._bells: dict[str, Bell] = {}
        self._news: set[str] = set()  # channels that have still to report a new client
        self._closed = False

    def bell(self, name: str) -> Bell:
        """The bell of that name. Raises BadState once they have been given back."""
        self.refuse_closed()
        if name not in self._bells:
            self._add(name)
        return self._bells[name]

    @uninterrupted
    def _add(self, name: str) -> None:
        self._bells[name] = Bell()

    def refuse_closed(self) -> None:
        """Raise BadState once they have been given back."""
        if self._closed:
            raise BadState("the context, or its pull port, has been closed; open another on a context that is IDLE")

    def ring(self, *names: str) -> None:
        """Ring those that are armed."""
        for name in names:
            if name in self._bells:
                self._bells[name].ring()

    def ring_for_client(self) -> None:
        """Report a new client on each channel once: now, or when the channel is armed next."""
        for name in _OF_CLIENTS:
            if name in self._bells and self._bells[name].armed:
                self._bells[name].ring()
            else:
                self._news.add(name)

    def take_news(self, name: str) -> bool:
        """Return whether the channel has still to report a client, once."""
        unreported = name in self._news
        self._news.discard(name)
        return unreported

    def forget_news(self) -> None:
        """Forget clients that have not been reported: the program knows them."""
        self._news.clear()

    def close(self) -> None:
        self._closed = True
        while self._bells:
            self._bells.popitem()[1].close()
