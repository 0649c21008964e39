"""Who is connected to a service, and how it fares (old guide: Service State and Events).

Peers and pending connections are those of the last snapshot, which `update_info` takes; none before the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from comch_next import ConnectionReset, Driver, NoMemory, NotSupported

if TYPE_CHECKING:
    from comm_channel_compat._link import Link
    from comm_channel_compat.peer_addr import PeerAddr

__all__ = ["Snapshot", "get_event_channel", "get_peer_addr_list", "get_pending_connections", "update_info"]


class Snapshot(NamedTuple):
    """What was known of a service."""

    peers: tuple[PeerAddr, ...] = ()
    pending: int = 0


def get_event_channel(link: Link) -> int:
    """The descriptor that becomes readable when a client comes or goes, or the service fails.

    The first call arms it; afterwards `update_info` does.
    """
    _check_service(link, "get_service_event_channel")
    fd = link.port.service_fd
    if not link.service_armed:
        link.service_armed = True
        link.port.arm_service()
    return fd


def update_info(link: Link) -> None:
    """Arm the descriptor, take a snapshot, and tell the health of the service: ConnectionReset when it has failed.

    Driver when the descriptor or the snapshot cannot be had; the snapshot is then the one before.
    In this order, so that nothing happens between the two: what the snapshot lacks is an event.
    """
    _check_service(link, "update_service_state_info")
    link.service_armed = True
    try:
        link.port.arm_service()
        link.snapshot = Snapshot(tuple(link.peers[up] for up in link.port.connections), link.port.pending)
    except (NoMemory, OSError) as error:
        raise Driver(f"update_service_state_info: the system does not answer: {error}") from error
    if link.failed:
        raise ConnectionReset("update_service_state_info: the service has lost its name; destroy the endpoint")


def get_peer_addr_list(link: Link) -> list[PeerAddr]:
    """The peers that were connected, in the order of their coming."""
    _check_service(link, "get_peer_addr_list")
    return list(link.snapshot.peers)


def get_pending_connections(link: Link) -> int:
    """How many handshakes waited; recvfrom completes them."""
    _check_service(link, "get_pending_connections")
    return link.snapshot.pending


def _check_service(link: Link, call: str) -> None:
    if not link.is_service:
        raise NotSupported(f"{call}: the endpoint is a client; only a service has a state")
