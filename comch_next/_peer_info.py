"""All that was known of a connection before DOCA 1.5, at once (C: struct doca_comm_channel_peer_addr_info)."""

from __future__ import annotations

from types import SimpleNamespace

from comch_next._codes import Counter
from comch_next.connection import Connection
from comch_next.driver.protocol import quoted
from comch_next.errors import DocaError, NotConnected

__all__ = ["PeerInfo", "peer_info"]


class PeerInfo(SimpleNamespace):
    """A snapshot of a connection (C: struct doca_comm_channel_peer_addr_info). `vport` is always 0: unknown."""

    vport: int
    msgsize: int
    maxmsgs: int
    curmsgs: int
    rx_msgs: int
    tx_msgs: int
    rx_bytes: int
    tx_bytes: int

    def __init__(
        self,
        vport: int = 0,
        msgsize: int = 0,
        maxmsgs: int = 0,
        curmsgs: int = 0,
        rx_msgs: int = 0,
        tx_msgs: int = 0,
        rx_bytes: int = 0,
        tx_bytes: int = 0,
    ) -> None:
        super().__init__(
            vport=vport,
            msgsize=msgsize,
            maxmsgs=maxmsgs,
            curmsgs=curmsgs,
            rx_msgs=rx_msgs,
            tx_msgs=tx_msgs,
            rx_bytes=rx_bytes,
            tx_bytes=tx_bytes,
        )


def peer_info(connection: Connection) -> PeerInfo:
    """Take a snapshot of a connection and return it. Raises NotConnected unless the connection is up."""
    if not isinstance(connection, Connection):
        raise NotConnected(f"peer_info takes a connection, not {quoted(connection)}")
    try:
        connection.update_info()
    except DocaError as error:
        raise NotConnected(f"peer_info: {error}") from error
    context = connection._context
    return PeerInfo(
        msgsize=context.max_msg_size,
        maxmsgs=context.recv_queue_size,
        curmsgs=connection.in_flight,
        rx_msgs=connection.get_counter(Counter.RECV_MESSAGES),
        tx_msgs=connection.get_counter(Counter.SENT_MESSAGES),
        rx_bytes=connection.get_counter(Counter.RECV_BYTES),
        tx_bytes=connection.get_counter(Counter.SENT_BYTES),
    )
