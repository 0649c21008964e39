"""One connection as an endpoint sees it (old guide: Information Regarding Each Connection)."""

from __future__ import annotations

from comch_next import Connection, Counter
from comm_channel_compat._old_calls import old_call

__all__ = ["PeerAddr"]


@old_call("doca_comm_channel_peer_addr_")
class PeerAddr:
    """The other side of one connection, as `connect` and `recvfrom` return it.

    The statistics are those of the last `update_info`, zero before it. They stay readable after the connection has
    ended; in a forked child every call raises BadState.
    """

    __slots__ = ("__weakref__", "_connection")

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @property
    def modern(self) -> Connection:
        """The connection of comch_next."""
        return self._connection

    def __repr__(self) -> str:
        return f"<PeerAddr of {self._connection!r}>"

    def get_user_data(self) -> int:
        """Return the number that the program stored with the peer; 0 until set."""
        number: int = self._connection.user_data
        return number

    def set_user_data(self, user_context: int) -> None:
        """Store a number of up to 64 bits with the peer."""
        self._connection.user_data = user_context

    def update_info(self) -> None:
        """Take a snapshot of the statistics, and check the state of the connection.

        Raises ConnectionInprogress until the service has completed the handshake, ConnectionAborted if it was refused
        or the connection has failed. An orderly disconnection of the other side is not reported here.
        """
        self._connection.update_info()

    def get_send_messages(self) -> int:
        """Return the number of messages sent to the peer."""
        return self._connection.get_counter(Counter.SENT_MESSAGES)

    def get_send_bytes(self) -> int:
        """Return the number of bytes sent to the peer."""
        return self._connection.get_counter(Counter.SENT_BYTES)

    def get_recv_messages(self) -> int:
        """Return how many messages have come from the peer."""
        return self._connection.get_counter(Counter.RECV_MESSAGES)

    def get_recv_bytes(self) -> int:
        """Return the number of bytes received from the peer."""
        return self._connection.get_counter(Counter.RECV_BYTES)

    def get_send_in_flight_messages(self) -> int:
        """Return the number of sent messages that had not reached the peer's queue; wait for 0 before a disconnect."""
        return self._connection.in_flight
