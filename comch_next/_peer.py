"""A connection of a one-sided context, as generation 1 showed it (old guide: Information Regarding Each Connection)."""

from __future__ import annotations

import time
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

from comch_next._codes import Counter
from comch_next.arguments import Buffer, integer
from comch_next.connection import FLUSH_TICK_S, Connection
from comch_next.driver.protocol import counted, quoted, told_in_child
from comch_next.engine import deadline_after, seconds_left
from comch_next.errors import BadState, ConnectionAborted, InvalidValue, NotConnected, TimeOut

if TYPE_CHECKING:
    from comch_next._control import ControlContext
    from comch_next._link import Link
    from comch_next.driver import protocol

__all__ = ["Peer"]

_UINT64_MAX = 2**64 - 1


class Peer(Connection):
    """Its statistics are those of the last `update_info`, zero before it, and stay readable when it has ended.

    In a forked child every call is BadState.
    """

    def __init__(self, context: ControlContext, handle: protocol.Connection, link: Link | None) -> None:
        super().__init__(context, handle)
        self._link = link  # None once this side has left it
        self._user_data = 0
        self._counters = dict.fromkeys(Counter, 0)
        self._in_flight = 0
        _peers.add(self)

    @property
    def user_data(self) -> int:
        """The program's own number for it, of up to 64 bits; 0 until set, InvalidValue for anything else."""
        number: int = self._user_data
        return number

    @user_data.setter
    def user_data(self, user_data: int) -> None:
        self._user_data = integer(user_data, "user data", most=_UINT64_MAX)

    def update_info(self) -> None:
        """Snapshot the counters and what is in flight, then raise what the state of the connection is.

        ConnectionInprogress until the server has accepted it, ConnectionAborted when it was refused, is in the error
        state, or has been left by this side.
        """
        link = self._link  # once: another thread may leave it
        if link is None:
            raise ConnectionAborted("update_info: this side has left the connection")
        link.update_info(self)

    def _snapshot(self, in_flight: int) -> None:
        self._counters = {counter: super(Peer, self).get_counter(counter) for counter in Counter}
        self._in_flight = in_flight

    def get_counter(self, counter: Counter) -> int:
        """Return a counter of the last snapshot: messages, or bytes."""
        if not isinstance(counter, int) or counter not in self._counters:
            raise InvalidValue(f"get_counter takes a Counter, not {quoted(counter)}")
        return self._counters[counter]

    @property
    def in_flight(self) -> int:
        """Messages accepted that were not in the receiver's queue at the last snapshot."""
        return self._in_flight

    def send(self, data: Buffer, timeout: float | None = None) -> None:
        """Send one message, as the context's `send_to`."""
        if self._context._endpoint is None:
            raise NotConnected("send: this side has left the connection; its context is no longer one-sided")
        self._context.send_to(data, self, timeout)

    def flush(self, timeout: float | None = None) -> None:
        """Snapshot as `update_info`, and raise what it raises, until nothing was in flight. Raises TimeOut, too."""
        deadline = deadline_after(timeout, "flush")
        while True:
            self.update_info()
            if not self._in_flight:
                return
            if not (pause := seconds_left(deadline, FLUSH_TICK_S)):
                raise TimeOut(f"flush: {counted(self._in_flight, 'message')} still in flight after {timeout} s")
            time.sleep(pause)


class _Inherited(Peer):
    """A peer in a forked child: it refuses every call."""

    def __repr__(self) -> str:
        return "<Connection, inherited through a fork>"

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("__"):
            return object.__getattribute__(self, name)
        if isinstance(getattr(type(self), name, None), FunctionType):
            return _refuse  # a method is there to be looked up, as ever
        _refuse()

    def __setattr__(self, name: str, value: object) -> None:
        _refuse()


def _refuse(*_: object, **__: object) -> NoReturn:
    raise BadState("the connection was inherited through a fork and belongs to the parent process")


def _disinherit(peer: Peer) -> None:
    object.__setattr__(peer, "__class__", _Inherited)


_peers = told_in_child(_disinherit)
