"""Clients that have connected to a server and not greeted yet: a bounded number, for a bounded time."""

from comch_next.driver.emulated._fabric.greeting import Greeting
from comch_next.driver.protocol import monotonic

__all__ = ["Lobby"]

_MOST = 128  # with more, the one that has been silent for longest goes; they take no client's place
_PATIENCE_S = 5.0  # who has said nothing for so long goes, however few there are


class Lobby:
    """The silent clients of a server, the oldest first."""

    def __init__(self) -> None:
        self._silent: dict[Greeting, float] = {}  # with the end of the patience

    def has_room(self) -> bool:
        """Return whether one more may enter. A client whose greeting has arrived does not lose its place."""
        if len(self._silent) < _MOST:
            return True
        oldest = next(iter(self._silent))
        if oldest.has_spoken():
            return False
        self._drop(oldest)
        return True

    def enter(self, greeting: Greeting) -> None:
        """Add a client, and wait for its greeting."""
        self._silent[greeting] = monotonic() + _PATIENCE_S

    def leave(self, greeting: Greeting) -> None:
        """Remove a client that has greeted, or was dropped."""
        self._silent.pop(greeting, None)

    def drop_expired(self) -> bool:
        """Drop clients that have been silent for too long; return whether there were any.

        Those whose greeting has arrived wait for this server, which may have been busy with others.
        """
        before, now = len(self._silent), monotonic()
        for greeting, end in list(self._silent.items()):
            if end >= now:
                break
            if not greeting.has_spoken():
                self._drop(greeting)
        return len(self._silent) < before

    def _drop(self, greeting: Greeting) -> None:
        self.leave(greeting)
        greeting.drop()

    def clear(self) -> None:
        """Drop all clients."""
        while self._silent:
            self._drop(next(iter(self._silent)))

    def let_go(self) -> None:
        """In a forked child: see fork."""
        for greeting in self._silent:
            greeting.let_go()
