"""Descriptors for poll and epoll: that of an engine, and the three of a pull port."""

import contextlib
import os
import select
from typing import TYPE_CHECKING, Protocol

from comch_next.errors import NotSupported

if TYPE_CHECKING:
    from comch_next.driver.emulated._control import ControlContext

__all__ = ["Channel", "Channels", "Watchable", "new_bell"]


class Watchable(Protocol):
    """A socket, or whatever else has a descriptor."""

    def fileno(self) -> int: ...


class Channel:
    """A descriptor for poll and epoll: a bell, and sockets (or sets of them) that are watched while it is armed."""

    def __init__(self, bell: int, sockets: select.epoll | None) -> None:
        self.bell = bell
        self.armed = False
        self._set = select.epoll()
        self._set.register(bell, select.EPOLLIN)
        self._sockets: list[Watchable] = []
        if sockets is not None:
            self.watch(sockets)

    def watch(self, sockets: Watchable) -> None:
        """Be ready when these are, while armed."""
        self._sockets.append(sockets)
        self._set.register(sockets, select.EPOLLIN if self.armed else 0)

    def unwatch(self, sockets: Watchable) -> None:
        """No longer."""
        if sockets in self._sockets:
            self._sockets.remove(sockets)
            self._set.unregister(sockets)

    def fileno(self) -> int:
        return self._set.fileno()

    def arm(self) -> None:
        """Forget what was, and be ready for what comes."""
        self.disarm()
        self.armed = True
        for sockets in self._sockets:
            self._set.modify(sockets, select.EPOLLIN)

    def disarm(self) -> None:
        """Not ready, and not going to be."""
        with contextlib.suppress(BlockingIOError):  # by its own flag: whoever shares the bell may make it block
            os.preadv(self.bell, [bytearray(8)], -1, os.RWF_NOWAIT)
        self.armed = False
        for sockets in self._sockets:
            self._set.modify(sockets, 0)

    def ring(self) -> None:
        """Be ready until the next arming."""
        room = select.poll()  # its own, as any thread may ring
        room.register(self.bell, select.POLLOUT)
        if room.poll(0):
            os.eventfd_write(self.bell, 1)

    def close(self) -> None:
        self._set.close()


def new_bell() -> int:
    """An eventfd that never blocks its ringer."""
    return os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)


class Channels:
    """A port's descriptors by name (send, recv, service), made when first asked for.

    Doors are sockets where somebody may come in; ends belong to connections. A one-sided port is calm: it waits
    for the hang-up of an end and not for words, and a farewell hangs up only when it is read.
    """

    def __init__(self, context: "ControlContext", bells: tuple[int, int], one_sided: bool) -> None:
        self._context = context
        self._bells = bells
        self._one_sided = one_sided
        self._calm = select.EPOLLRDHUP if one_sided else select.EPOLLIN
        self._made: dict[str, Channel] = {}
        self._door_fds: set[int] = set()
        self._doors: select.epoll | None = None
        self._ends: select.epoll | None = None

    def get(self, name: str) -> Channel:
        """The descriptor of that name."""
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def ring(self, *names: str) -> None:
        """Make those ready that are armed."""
        for name in names:
            if name in self._made and self._made[name].armed:
                self._made[name].ring()

    def _make(self, name: str) -> Channel:
        if name == "service":
            if not self._context.is_server:
                raise NotSupported(f"{self._context} has no service channel; a server has")
            bell = new_bell()
            try:
                return Channel(bell, self._context.watch)
            except OSError:
                os.close(bell)
                raise
        if name == "recv" and not self._one_sided:
            return Channel(self._bells[0], self._context.watch)
        channel = Channel(self._bells[name == "send"], self._all_ends())
        if name == "recv":
            self._doors = self._doors or select.epoll()
            for fd in self._door_fds:
                self._doors.register(fd, select.EPOLLIN)
            channel.watch(self._doors)
        return channel

    def _all_ends(self) -> select.epoll:
        if self._ends is None:
            self._ends = select.epoll()
            for connection in self._context.poller.links:
                if connection.sock is not None:
                    self.end(connection.sock)
        return self._ends

    # What is watched

    def door(self, sock: Watchable) -> None:
        """Somebody may come in there."""
        self._door_fds.add(sock.fileno())
        if self._doors is not None:
            self._doors.register(sock, select.EPOLLIN)

    def end(self, sock: Watchable, *, anxious: bool = False) -> None:
        """It belongs to a connection now. Anxious: every word counts, whatever the port is like."""
        self._no_door(sock)
        if self._ends is not None:
            events = select.EPOLLIN if anxious else self._calm
            try:
                self._ends.register(sock, events)
            except FileExistsError:
                self._ends.modify(sock, events)

    def forget(self, sock: Watchable) -> None:
        """It is going to be closed, though perhaps not everywhere: a farewell holds it open."""
        self._no_door(sock)
        if self._ends is not None:
            with contextlib.suppress(FileNotFoundError):
                self._ends.unregister(sock)

    def _no_door(self, sock: Watchable) -> None:
        if sock.fileno() in self._door_fds:
            self._door_fds.remove(sock.fileno())
            if self._doors is not None:
                self._doors.unregister(sock)

    def close(self) -> None:
        """Give the descriptors back, but for the two bells."""
        for name, channel in self._made.items():
            channel.close()
            if name == "service":
                os.close(channel.bell)
        for sockets in (self._doors, self._ends):
            if sockets is not None:
                sockets.close()
