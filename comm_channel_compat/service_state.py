"""Who is connected to a service, and how it fares (old guide: Service State and Events). Not yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from comch_next import NotSupported

if TYPE_CHECKING:
    from comm_channel_compat._link import Link, Unlinked
    from comm_channel_compat.peer_addr import PeerAddr

__all__ = ["get_event_channel", "get_peer_addr_list", "get_pending_connections", "update_info"]

_UNAVAILABLE = "the service state is not available yet; recvfrom lets clients in and tells their peers"


def get_event_channel(link: Link | Unlinked) -> int:
    """The descriptor that becomes readable when a client comes or goes, or the service fails."""
    raise NotSupported(f"get_service_event_channel: {_UNAVAILABLE}")


def update_info(link: Link | Unlinked) -> None:
    """Take a snapshot of the peers and the pending connections, and tell the health of the service."""
    raise NotSupported(f"update_service_state_info: {_UNAVAILABLE}")


def get_peer_addr_list(link: Link | Unlinked) -> list[PeerAddr]:
    """The peers of the last snapshot."""
    raise NotSupported(f"get_peer_addr_list: {_UNAVAILABLE}")


def get_pending_connections(link: Link | Unlinked) -> int:
    """How many handshakes waited at the last snapshot; recvfrom completes them."""
    raise NotSupported(f"get_pending_connections: {_UNAVAILABLE}")
