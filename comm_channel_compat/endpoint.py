"""The endpoint, service or client (old guide: Creating and Configuring Endpoint, Establishing Connection)."""

from __future__ import annotations

from typing import Any

from comch_next import Channel, outcome
from comch_next.arguments import Buffer
from comch_next.errors import InvalidValue
from comch_next.pull import quick_method
from comm_channel_compat._devices import Device, Representor
from comm_channel_compat._hot import RECVFROM, SENDTO, HotCalls
from comm_channel_compat._known import current, remember
from comm_channel_compat._old_calls import old_call
from comm_channel_compat._peers import Peers, Unopened, connection_of, foreign
from comm_channel_compat.event_channel import EventChannel
from comm_channel_compat.peer_addr import PeerAddr
from comm_channel_compat.service_state import ServiceState

__all__ = ["Endpoint"]


@old_call("doca_comm_channel_ep_")
class Endpoint(EventChannel, ServiceState, HotCalls):
    """One side of the channel: `listen` makes it a service on the DPU, `connect` a client on the host.

    The methods are the old C functions without their prefix, in the order of the old header. Sizes of messages
    are in bytes, those of queues in messages. Every failure raises the exception named for its code, AGAIN too.
    """

    @old_call("doca_comm_channel_ep_create")
    def __init__(self) -> None:
        channel = Channel(one_sided=True)
        self._compat_stand_on(channel, channel)

    def _compat_stand_on(self, context: Any, channel: Any) -> None:
        """Begin on a context, which is the channel, or is behind what does what a channel does."""
        self.modern, self._compat_channel = context, channel
        self._compat_peers = Peers()
        device, representor = (outcome(getattr, context, name, None)[1] for name in ("device", "device_rep"))
        self._compat_device = None if device is None else Device(device)
        self._compat_representor = None if representor is None else Representor(representor)
        self._compat_port = Unopened(self._compat_channel)
        self._compat_stand_on_port()
        remember(self, context)  # last: another thread's wrap finds it from here on

    def __repr__(self) -> str:
        return f"<Endpoint on {self._compat_channel!r}>"

    # Properties

    def _compat_get(self, option: str) -> Any:
        """A setting; a one-sided context always has one in force, but a program may have given it callbacks."""
        value = getattr(self._compat_channel, option)
        if value is None:
            raise InvalidValue(f"get_{option}: none has been set")
        return value

    def get_device(self) -> Device:
        """Return the device that was set."""
        device: Device = current(self._compat_device, self._compat_get("device"), Device)
        return device

    def get_device_rep(self) -> Representor:
        """Return the representor that was set."""
        representor: Representor = current(self._compat_representor, self._compat_get("device_rep"), Representor)
        return representor

    def get_max_msg_size(self) -> int:
        """Return the largest message that the endpoint sends, in bytes."""
        return self._compat_get("max_msg_size")  # type: ignore[no-any-return]

    def get_send_queue_size(self) -> int:
        """Return the largest number of messages in flight to one peer."""
        return self._compat_get("send_queue_size")  # type: ignore[no-any-return]

    def get_recv_queue_size(self) -> int:
        """Return the largest number of waiting messages from one peer."""
        return self._compat_get("recv_queue_size")  # type: ignore[no-any-return]

    def set_device(self, device: Device) -> None:
        """Set the device. Mandatory on both sides."""
        self._compat_channel.device = device.modern if isinstance(device, Device) else foreign(device, Device)
        self._compat_device = device

    def set_device_rep(self, device_rep: Representor) -> None:
        """Set the representor to listen on. Mandatory for a service."""
        self._compat_channel.device_rep = (
            device_rep.modern if isinstance(device_rep, Representor) else foreign(device_rep, Representor)
        )
        self._compat_representor = device_rep

    def set_max_msg_size(self, max_msg_size: int) -> None:
        """Set the largest message, in bytes, up to the device's limit; a very small size is raised."""
        self._compat_channel.max_msg_size = max_msg_size

    def set_send_queue_size(self, send_queue_size: int) -> None:
        """Set the size of the send queue, up to the device's limit; rounded up to a power of two, at least 8."""
        self._compat_channel.send_queue_size = send_queue_size

    def set_recv_queue_size(self, recv_queue_size: int) -> None:
        """Set the size of the receive queue, up to the device's limit; rounded up to a power of two, at least 8."""
        self._compat_channel.recv_queue_size = recv_queue_size

    # Connections

    def listen(self, name: str | bytes) -> None:
        """Become the service of that name on the representor; clients wait until `recvfrom` accepts them."""
        self._compat_channel.listen(name)  # type: ignore[arg-type]  # bytes too, where a context is one-sided
        self._compat_stand_on_port()

    def connect(self, name: str | bytes) -> PeerAddr:
        """Begin to connect to the service of that name; poll `peer.update_info` until the service has accepted."""
        connection = self._compat_channel.connect(name, timeout=0)  # type: ignore[arg-type]  # bytes too
        self._compat_stand_on_port()
        return self._compat_peers[connection]

    @quick_method(SENDTO)
    def sendto(self, msg: Buffer, peer: PeerAddr, flags: int = 0) -> None:
        """Queue a copy of the message. Raises Again if the queue is full or the handshake is not complete."""
        self._compat_sendto(msg, peer, flags)

    @quick_method(RECVFROM)
    def recvfrom(self, size: int, flags: int = 0) -> tuple[bytes, PeerAddr]:
        """Return the oldest message of up to `size` bytes and the peer that sent it. Raises Again if there is none.

        Raises InvalidValue, with the needed `.length`, if the message is longer; it then stays. Raises ConnectionReset,
        with the peer as `.connection`, once for a peer in the error state whose messages have all been read.
        """
        return self._compat_recvfrom(size, flags)

    def disconnect(self, peer_addr: PeerAddr) -> None:
        """Leave one connection, without notifying the peer. A client may connect again afterwards."""
        connection = connection_of(peer_addr)
        self._compat_channel.disconnect(connection)
        self._compat_peers.pop(connection, None)

    def destroy(self) -> None:
        """Leave every connection and destroy the endpoint; undelivered messages are lost."""
        self._compat_channel.close()
        self._compat_peers.clear()
