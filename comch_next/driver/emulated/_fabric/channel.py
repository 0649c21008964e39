"""A descriptor for poll and epoll: that of an engine, or one of a pull port's three."""

import contextlib
import os
import select
import threading
from collections.abc import Callable, Iterator

from comch_next.driver.emulated._kernel.memory import lib
from comch_next.driver.protocol._typed import Protocol
from comch_next.errors import BadState

__all__ = ["Channel", "Watchable"]


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
        """Stop watching these sockets. Idempotent."""
        if sockets in self._sockets:
            self._sockets.remove(sockets)
            with contextlib.suppress(OSError):  # the program has closed the set by itself
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

    def listen(self, bell: int, on_flood: Callable[[], object]) -> None:
        """Be ready when the bell is rung; `on_flood` is called if its peer rings it faster than it can be drained."""
        with self._lock:
            if bell not in self._bells:
                self._set.register(bell, select.EPOLLIN | select.EPOLLRDHUP)
                self._bells[bell] = on_flood

    def unlisten(self, bell: int) -> None:
        """Stop listening to a bell. Idempotent."""
        with self._lock:
            if self._bells.pop(bell, None) is not None:
                with contextlib.suppress(OSError):
                    self._set.unregister(bell)

    def fileno(self) -> int:
        return self._set.fileno()

    @property
    def closed(self) -> bool:
        return self._set.closed

    def arm(self) -> bool:
        """Forget what has happened, and be ready for what comes. Whether the sockets were watched, and none is ready.

        Raises BadState when another thread has closed it.
        """
        return self._forget(armed=True)

    def disarm(self) -> bool:
        """Stop being ready, and stay so until the next arming. Returns and raises what `arm` does."""
        return self._forget(armed=False)

    def _forget(self, *, armed: bool) -> bool:
        with self._open():
            silent = self.armed
            for fd, events in self._set.poll(0):
                if fd == self._latch:
                    with contextlib.suppress(BlockingIOError):  # another thread has read it just now
                        os.eventfd_read(fd)
                elif fd not in self._bells:
                    silent = False
                elif (on_flood := self._drain(fd, events)) is not None:
                    self.unlisten(fd)
                    on_flood()
            if armed != self.armed:
                self.armed = armed
                for sockets in self._sockets:
                    self._set.modify(sockets, select.EPOLLIN if armed else 0)
            return silent

    @contextlib.contextmanager
    def _open(self) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError) as error:
            if not self.closed:
                raise
            raise BadState("the descriptor that was to be used has been closed, perhaps by another thread") from error

    def _drain(self, bell: int, events: int) -> Callable[[], object] | None:
        """Drain a bell. Return its `on_flood` if it cannot be drained."""
        with self._lock:
            on_flood = self._bells.get(bell)
            return on_flood if on_flood is not None and (events != select.EPOLLIN or lib.comch_drain(bell)) else None

    def ring(self) -> None:
        """Be ready until the next arming. Any thread may ring; a closed one stays silent."""
        with contextlib.suppress(BadState), self._open():
            os.eventfd_write(self._latch, 1)

    def close(self) -> None:
        """Give its own descriptors back; harmless when that is done."""
        if not self.closed:
            self.armed = False
            with contextlib.suppress(OSError):  # the program has closed it by itself
                self._set.close()
            if self._latch >= 0:
                os.close(self._latch)
                self._latch = -1  # its number may soon be another descriptor's
