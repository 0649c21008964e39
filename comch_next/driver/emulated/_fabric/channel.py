"""A descriptor for poll and epoll: that of an engine, or one of a pull port's three."""

import os
import select
from collections.abc import Callable

from comch_next.driver.emulated._kernel import calls
from comch_next.driver.protocol import by_system, suppress_system
from comch_next.driver.protocol._typed import Protocol
from comch_next.errors import BadState

__all__ = ["Channel", "Watchable"]


class Watchable(Protocol):
    """A socket, or whatever else has a descriptor."""

    def fileno(self) -> int: ...


class Channel(calls.Channel):
    """A descriptor for poll and epoll. It is ready when it is rung from this side, when one of the bells that it
    listens to is rung from the other, and, while it is armed, when one of the sockets (or sets of them) that it
    watches is."""

    def __init__(self) -> None:
        self.hold(-1, -1)
        self._set = select.epoll()
        self._latch = -1
        self._floods: dict[int, Callable[[], object]] = {}  # by the bells that it listens to
        self._sockets: list[Watchable] = []
        try:
            self._latch = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
            self.hold(self._set.fileno(), self._latch)
        except BaseException:
            self.close()
            raise

    def watch(self, sockets: Watchable) -> None:
        """Be ready when these are, while armed."""
        self._sockets.append(sockets)
        try:
            self.add(sockets.fileno(), False)
        except BaseException:
            self._sockets.remove(sockets)
            raise

    def unwatch(self, sockets: Watchable) -> None:
        """Stop watching these sockets. Idempotent."""
        if sockets in self._sockets:
            self._sockets.remove(sockets)
            self.drop(sockets.fileno())

    def reset(self) -> None:
        """Forget every socket and bell; stay ready, or armed, as it is."""
        ready = bool(self._set.poll(0))
        for sockets in list(self._sockets):
            self.unwatch(sockets)
        for bell in list(self._floods):
            self.unlisten(bell)
        if ready:
            self.ring()

    def listen(self, bell: int, on_flood: Callable[[], object]) -> None:
        """Be ready when the bell is rung; `on_flood` is called if its peer rings it faster than it can be drained."""
        self._floods.setdefault(bell, on_flood)
        self.add(bell, True)

    def unlisten(self, bell: int) -> None:
        """Stop listening to a bell. Idempotent. A channel that is ready because it was rung stays so."""
        if self._floods.pop(bell, None) is None:
            return
        ready = self.armed and self._is_ready()
        self.drop(bell)
        if ready and not self._is_ready():
            self.ring()

    def _is_ready(self) -> bool:
        """Ask poll: to ask the set itself would take the events."""
        poller = select.poll()
        poller.register(self.descriptor, select.POLLIN)
        return bool(poller.poll(0))

    def on_flood(self, bell: int) -> None:
        """Stop listening to a bell whose peer rings it faster than it can be drained, and report that."""
        on_flood = self._floods.get(bell)
        self.unlisten(bell)
        if on_flood is not None:
            on_flood()

    def fileno(self) -> int:
        return self._set.fileno()

    @property
    def closed(self) -> bool:
        return self.descriptor < 0

    def arm(self) -> bool:
        """Forget what has happened, and be ready for what comes. Whether the sockets were watched, and none is ready.

        Raises BadState when another thread has closed it.
        """
        return self._forget(armed=True)

    def disarm(self) -> bool:
        """Stop being ready, and stay so until the next arming. Returns and raises what `arm` does."""
        return self._forget(armed=False)

    def _forget(self, *, armed: bool) -> bool:
        try:
            return self.forget(armed)
        except by_system(OSError) as error:
            if not self.closed:
                raise
            raise BadState("the descriptor that was to be used has been closed, perhaps by another thread") from error

    def ring(self) -> None:
        """Be ready until the next arming. Any thread may ring; a closed one stays silent."""
        try:
            self.ring_latch()
        except by_system(OSError):
            if not self.closed:
                raise

    def close(self) -> None:
        """Give its own descriptors back; harmless when that is done."""
        self.hold(-1, -1)
        if not self._set.closed:
            with suppress_system(OSError):  # the program has closed it by itself
                self._set.close()
        if self._latch >= 0:
            os.close(self._latch)
            self._latch = -1  # its number may soon be another descriptor's
