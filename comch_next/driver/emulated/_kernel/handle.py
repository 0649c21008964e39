"""Handles that are not closed: a dropped one is closed when it is collected; a process that ends notifies its peers.

Neither runs anything of the program's, no callback and no completion: the collector may come at any moment. It comes
to the objects of a cycle in no order, so that each closes what is its own, and its sockets are of a kind that the
collector itself leaves open: the farewell comes first.
"""

import os
import socket
import time
from abc import abstractmethod

from comch_next.driver.emulated._kernel.fork import finalized, is_unfinalized, living, unfinalized
from comch_next.driver.protocol import Finalized, at_exit, shielded, suppress_system

__all__ = ["Handle", "Socket", "has_left"]

_PATIENCE_S, _TICK_S = 1.0, 0.001


class Handle(Finalized):
    """What has descriptors. It is closed by itself once it is complete and `fork.owned` has registered it."""

    def say_goodbye(self) -> None:
        """Notify peers that this side leaves. Raises OSError."""

    def leave_at_exit(self) -> None:
        """Notify peers that the process ends; those that are not notified see a death. Raises OSError."""
        self.say_goodbye()

    @abstractmethod
    def let_go(self) -> None:
        """Close this process's copies of every descriptor, and do nothing else. Idempotent."""

    def finalize(self) -> None:
        if is_unfinalized(self):
            with suppress_system(OSError):  # the peer has gone already
                if not _left:
                    self.say_goodbye()
            with suppress_system(OSError):  # the program has closed one by itself
                self.let_go()
            finalized(self)


class Socket(socket.socket):
    """A socket that only its owner closes."""

    __slots__ = ()

    def __init__(self, family: int = -1, kind: int = -1, *, fileno: int | None = None) -> None:
        """Make it, or one of a descriptor, which stays the caller's if that fails."""
        try:
            super().__init__(family, kind, fileno=fileno)
        except BaseException:
            made = self.detach()
            if fileno is None and made >= 0:
                os.close(made)
            raise

    # Nothing, in C: what a signal's handler raises is lost in a finalizer of Python.
    __del__ = staticmethod(bool)


_left: list[bool] = []  # not empty once the process has taken leave: what is collected then is silent


def has_left() -> bool:
    """Whether the process has taken leave: what begins now would end without it."""
    return bool(_left)


def _take_leave() -> None:
    known, handles = unfinalized(), living()
    _wait_for(known.difference(map(id, handles)))
    _left.append(True)
    for handle in handles:
        if isinstance(handle, Handle):
            with suppress_system(OSError):
                handle.leave_at_exit()


def _wait_for(dying: set[int]) -> None:
    """Wait for another thread's collector, which has come to these: the interpreter's end would stop it midway."""
    deadline = time.monotonic() + _PATIENCE_S
    while not dying.isdisjoint(unfinalized()) and time.monotonic() < deadline:
        time.sleep(_TICK_S)


at_exit(shielded(_take_leave))
