"""Descriptors for poll and epoll: that of an engine, and the three of a pull port."""

import contextlib
import os
import select
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from comch_next.driver.emulated._shared import lib
from comch_next.errors import NotSupported

if TYPE_CHECKING:
    from comch_next.driver.emulated._connection import Connection
    from comch_next.driver.emulated._control import ControlContext

__all__ = ["Channel", "Channels", "Watchable"]

_HEARD = {"recv": 0, "send": 1}  # which of a connection's bells


class Watchable(Protocol):
    """A socket, or whatever else has a descriptor."""

    def fileno(self) -> int: ...


class Channel:
    """A descriptor for poll and epoll. It is ready when it is rung from this side, when one of the bells that it
    listens to is rung from the other, and, while it is armed, when one of the sockets (or sets of them) that it
    watches is."""

    def __init__(self) -> None:
        self.armed = False
        self._set = select.epoll()
        self._latch = -1
        self._lock = threading.Lock()  # of the bells: one that is closed must not be heard any more
        try:
            self._latch = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
            self._set.register(self._latch, select.EPOLLIN)
        except OSError:
            self.close()
            raise
        self._bells: dict[int, Callable[[], object]] = {}
        self._sockets: list[Watchable] = []

    def watch(self, sockets: Watchable) -> None:
        """Be ready when these are, while armed."""
        self._sockets.append(sockets)
        self._set.register(sockets, select.EPOLLIN if self.armed else 0)

    def unwatch(self, sockets: Watchable) -> None:
        """No longer."""
        if sockets in self._sockets:
            self._sockets.remove(sockets)
            self._set.unregister(sockets)

    def reset(self) -> None:
        """Forget every socket and bell; stay ready, or armed, as it is."""
        ready = bool(self._set.poll(0))
        for sockets in list(self._sockets):
            self.unwatch(sockets)
        for bell in list(self._bells):
            self.unlisten(bell)
        if ready:
            self.ring()

    def listen(self, bell: int, noisy: Callable[[], object]) -> None:
        """Be ready when it is rung; `noisy` is called when it would not be silent ever again."""
        with self._lock:
            if bell not in self._bells:
                self._set.register(bell, select.EPOLLIN | select.EPOLLRDHUP)
                self._bells[bell] = noisy

    def unlisten(self, bell: int) -> None:
        """No longer; harmless when it is not listened to."""
        with self._lock:
            if self._bells.pop(bell, None) is not None:
                self._set.unregister(bell)

    def fileno(self) -> int:
        return self._set.fileno()

    @property
    def closed(self) -> bool:
        return self._set.closed

    def arm(self) -> None:
        """Forget what was, and be ready for what comes."""
        self.disarm()
        self.armed = True
        for sockets in self._sockets:
            self._set.modify(sockets, select.EPOLLIN)

    def disarm(self) -> None:
        """Not ready, and not going to be."""
        for fd, events in self._set.poll(0):
            if fd == self._latch:
                with contextlib.suppress(BlockingIOError):  # another thread has read it just now
                    os.eventfd_read(fd)
            elif (noisy := self._hush(fd, events)) is not None:
                self.unlisten(fd)
                noisy()
        self.armed = False
        for sockets in self._sockets:
            self._set.modify(sockets, 0)

    def _hush(self, bell: int, events: int) -> Callable[[], object] | None:
        """Silence it, if it is one; whom to tell when it would not stay silent."""
        with self._lock:
            noisy = self._bells.get(bell)
            return noisy if noisy is not None and (events != select.EPOLLIN or lib.comch_hush(bell)) else None

    def ring(self) -> None:
        """Be ready until the next arming. Any thread may ring."""
        os.eventfd_write(self._latch, 1)

    def close(self) -> None:
        """Give its own descriptors back; harmless when that is done."""
        if not self.closed:
            self.armed = False
            self._set.close()
            if self._latch >= 0:
                os.close(self._latch)


class Channels:
    """A port's descriptors by name (send, recv, service), made when first asked for.

    Doors are sockets where somebody may come in; ends belong to connections. A one-sided port is calm: it waits
    for the hang-up of an end and not for words, and a farewell hangs up only when it is read.
    """

    def __init__(self, context: "ControlContext", one_sided: bool) -> None:
        self._context = context
        self._one_sided = one_sided
        self._calm = select.EPOLLRDHUP if one_sided else select.EPOLLIN
        self._made: dict[str, Channel] = {}
        self._lock = threading.Lock()  # sender and receiver may be threads of their own
        self._door_fds: set[int] = set()
        self._doors: select.epoll | None = None
        self._ends: select.epoll | None = None

    def get(self, name: str) -> Channel:
        """The descriptor of that name."""
        if name not in self._made:
            with self._lock:
                self._made[name] = self._made.get(name) or self._make(name)
        return self._made[name]

    def ring(self, *names: str) -> None:
        """Make those ready that are armed."""
        for name in names:
            if name in self._made and self._made[name].armed:
                self._made[name].ring()

    def hand_over(self) -> dict[str, Channel]:
        """Leave the channels to another port: nothing fires them any more."""
        made, self._made = self._made, {}
        for channel in made.values():
            channel.reset()
        return made

    def adopt(self, made: dict[str, Channel]) -> None:
        """Make these, of a port that is over, this port's own."""
        self._made = made
        for name, channel in made.items():
            if name != "service" or self._context.is_server:
                self._connect(name, channel)

    def _make(self, name: str) -> Channel:
        channel = Channel()
        try:
            self._connect(name, channel)
        except BaseException:
            channel.close()
            raise
        return channel

    def _connect(self, name: str, channel: Channel) -> None:
        for sockets in self._sockets(name):
            channel.watch(sockets)
        for connection in self._context.poller.links if name in _HEARD else ():
            channel.listen(connection.heard[_HEARD[name]], connection.accuse)

    def _sockets(self, name: str) -> list[select.epoll]:
        """What the channel of that name watches."""
        if name == "service" and not self._context.is_server:
            raise NotSupported(f"{self._context} has no service channel; a server has")
        if name == "service" or (name == "recv" and not self._one_sided):
            return [self._context.watch]
        return [self._all_ends(), self._all_doors()] if name == "recv" else [self._all_ends()]

    def _all_doors(self) -> select.epoll:
        if self._doors is None:
            self._doors = select.epoll()
            for fd in self._door_fds:
                self._doors.register(fd, select.EPOLLIN)
        return self._doors

    def _all_ends(self) -> select.epoll:
        if self._ends is None:
            self._ends = select.epoll()
            for connection in self._context.poller.links:
                if connection.sock is not None:
                    self.end(connection.sock)
        return self._ends

    # What is listened to and watched

    def listen(self, connection: "Connection") -> None:
        """Let its other side rouse who waits for data or for space."""
        with self._lock:
            for name in _HEARD.keys() & self._made.keys():
                self._made[name].listen(connection.heard[_HEARD[name]], connection.accuse)

    def unlisten(self, connection: "Connection") -> None:
        """No longer."""
        with self._lock:
            for channel in self._made.values():
                for bell in connection.heard:
                    channel.unlisten(bell)

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
        """Give the descriptors back."""
        for channel in self._made.values():
            channel.close()
        for sockets in (self._doors, self._ends):
            if sockets is not None:
                sockets.close()
