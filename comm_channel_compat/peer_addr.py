"""One connection as an endpoint sees it (old guide: Information Regarding Each Connection)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple, NoReturn
from weakref import WeakSet

from comch_next import BadState, Connection, ConnectionAborted
from comm_channel_compat._arguments import integer
from comm_channel_compat._warn import warns_as

if TYPE_CHECKING:
    from comm_channel_compat._link import Link

__all__ = ["PeerAddr", "Statistics"]

_UINT64_MAX = 2**64 - 1


class Statistics(NamedTuple):
    """A snapshot of one peer's counters."""

    send_messages: int = 0
    send_bytes: int = 0
    recv_messages: int = 0
    recv_bytes: int = 0
    in_flight: int = 0


@warns_as("doca_comm_channel_peer_addr_")
class PeerAddr:
    """The other side of one connection; `connect` and `recvfrom` give it, a program creates none.

    The statistics are those of the last `update_info`, zero before it. They stay readable for ever, by the process
    that has the peer: in a forked child every call is BadState.
    """

    __slots__ = ("__weakref__", "_connection", "_link", "_statistics", "_user_data")

    def __init__(self, link: Link, connection: Connection) -> None:
        self._link: Link | None = link  # None once this endpoint has disconnected it
        self._connection = connection
        self._statistics = Statistics()
        self._user_data = 0
        _peers.add(self)

    def __repr__(self) -> str:
        return f"<PeerAddr, user data {self._user_data}>"

    def get_user_data(self) -> int:
        """The program's own number for this peer, 0 until set."""
        return self._user_data

    def set_user_data(self, user_context: int) -> None:
        """Keep a number of up to 64 bits with this peer."""
        self._user_data = integer(user_context, "user context", most=_UINT64_MAX)

    def update_info(self) -> None:
        """Take a snapshot of the statistics, and tell the state of the connection.

        ConnectionInprogress until the service has completed the handshake, ConnectionAborted when it was
        refused or when the connection is dead. The other side's orderly departure is not seen here.
        """
        if self._link is None:
            raise ConnectionAborted("update_info: this endpoint has disconnected the peer")
        self._link.update_info(self)

    def get_send_messages(self) -> int:
        """How many messages were sent to the peer."""
        return self._statistics.send_messages

    def get_send_bytes(self) -> int:
        """How many bytes were sent to the peer."""
        return self._statistics.send_bytes

    def get_recv_messages(self) -> int:
        """How many messages were received from the peer."""
        return self._statistics.recv_messages

    def get_recv_bytes(self) -> int:
        """How many bytes were received from the peer."""
        return self._statistics.recv_bytes

    def get_send_in_flight_messages(self) -> int:
        """How many sent messages had not reached the peer's queue: wait for 0 before a disconnect."""
        return self._statistics.in_flight


class _Inherited(PeerAddr):
    """What a peer becomes in a forked child: it has forgotten everything."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "<PeerAddr, inherited through a fork>"

    def __getattr__(self, name: str) -> NoReturn:
        raise BadState("the peer was inherited through a fork and belongs to the parent process")

    def __setattr__(self, name: str, value: object) -> None:
        self.__getattr__(name)


_peers: WeakSet[PeerAddr] = WeakSet()
_FORGOTTEN = [name for name in PeerAddr.__slots__ if name != "__weakref__"]


def _disinherit() -> None:
    for peer in list(_peers):
        for name in _FORGOTTEN:
            delattr(peer, name)
        peer.__class__ = _Inherited
    _peers.clear()


os.register_at_fork(after_in_child=_disinherit)
