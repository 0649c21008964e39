"""Who is connected to a service, and whether it has failed (old guide: Service State and Events).

Peers and pending connections are those of the last snapshot, which `update_service_state_info` takes; none before.
"""

from __future__ import annotations

from comch_next import Channel
from comm_channel_compat._old_calls import old_call
from comm_channel_compat._peers import Peers
from comm_channel_compat.peer_addr import PeerAddr

__all__ = ["ServiceState"]


@old_call("doca_comm_channel_ep_")
class ServiceState:
    """The calls of an endpoint on its state as a service; on a client they raise NotSupported."""

    _compat_channel: Channel
    _compat_peers: Peers

    def get_service_event_channel(self) -> int:
        """Return the descriptor for connecting and disconnecting clients; this and update_service_state_info arm it."""
        return self._compat_channel.service_fd

    def update_service_state_info(self) -> None:
        """Take a snapshot of the service and arm its event channel. Raises ConnectionReset if the service has failed.

        Raises Driver if the descriptor or the snapshot fails; the previous snapshot then stays.
        """
        self._compat_channel.update_info()

    def get_peer_addr_list(self) -> list[PeerAddr]:
        """Return the peers of the last snapshot, in the order in which they connected."""
        return [self._compat_peers[connection] for connection in self._compat_channel.connections]

    def get_pending_connections(self) -> int:
        """Return the number of clients that waited at the last snapshot; recvfrom accepts them."""
        return self._compat_channel.pending
