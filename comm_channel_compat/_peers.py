"""The peers of an endpoint, and the connections behind them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from comch_next import Channel, Connection
from comch_next.arguments import Buffer, shown
from comm_channel_compat._known import known
from comm_channel_compat.peer_addr import PeerAddr

__all__ = ["Peers", "Unopened", "connection_of", "foreign", "still_up"]

_SPARE = 64


def still_up(connections: Iterable[Connection]) -> set[Connection]:
    """Return the connections that are up, of the contexts that these are of."""
    contexts = {connection.server or connection.client for connection in connections}
    ports = [context.port for context in contexts if context is not None]
    return {connection for port in ports if port is not None for connection in port.connections}


class Peers(dict[Connection, PeerAddr]):
    """The one handle of each connection, made when the connection is first seen."""

    def __init__(self) -> None:
        super().__init__()
        self._most = _SPARE  # entries, before those that have ended are dropped

    def drop_ended(self) -> None:
        """Forget connections that have ended, now and then: an orderly end is not reported.

        A peer that the program still has is the same one again if more comes from it: see _known.
        """
        if len(self) < self._most:
            return
        there = list(self)
        up = still_up(there)
        for connection in there:
            if connection not in up:
                self.pop(connection, None)
        self._most = 2 * len(self) + _SPARE

    def __missing__(self, connection: Connection) -> PeerAddr:
        return self.setdefault(connection, known(PeerAddr, connection, PeerAddr))

    def pop_of(self, connection: Connection | None) -> PeerAddr | None:
        """Forget a connection that has ended, and return its peer; None for one that the program has never seen."""
        if connection is None:
            return None
        peer = self[connection]
        self.pop(connection, None)  # unless another thread has just disconnected it
        return peer


def connection_of(peer: Any, flags: object = 0) -> Any:
    """Return a peer's connection; for anything else, or with flags, what the channel refuses with the right code."""
    if peer.__class__ is PeerAddr and flags == 0:
        return peer._connection
    if flags != 0:
        return _Illegal(f"{shown(peer)} with flags {shown(flags)}")
    return None if peer is None else foreign(peer, PeerAddr)


class Unopened:
    """Stands in a port's place until the channel has one: the channel refuses."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def send(self, connection: Any, data: Buffer) -> bool:
        self._channel.send_to(data, connection, 0)
        return True

    def receive(self, size: int | None) -> tuple[bytes, Connection]:
        return self._channel.receive(size, timeout=0)


def foreign(value: Any, wanted: type) -> Any:
    """Return what the channel refuses in the place of a value that is none of the class."""
    return _Illegal(shown(value, wanted))


class _Illegal(str):
    """No connection, and why; an error message shows it."""

    __slots__ = ()
    __repr__ = str.__str__
