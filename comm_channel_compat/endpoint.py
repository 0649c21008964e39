"""The endpoint, service or client (old guide: Creating and Configuring Endpoint, Establishing Connection)."""

from __future__ import annotations

import os
from weakref import WeakSet

import comch_next as comch
from comch_next import Again, BadState, InvalidValue, NotPermitted, NotSupported
from comm_channel_compat import _link, event_channel, service_state
from comm_channel_compat._arguments import Buffer, instance, text
from comm_channel_compat._devices import Device, Representor, is_dpu
from comm_channel_compat._link import Dialler, Link, Unlinked
from comm_channel_compat._phases import Phase, check
from comm_channel_compat._sizes import MAX_MSG_SIZE, RECV_QUEUE_SIZE, SEND_QUEUE_SIZE, Size
from comm_channel_compat._warn import warns_as
from comm_channel_compat.peer_addr import PeerAddr

__all__ = ["Endpoint"]


@warns_as("doca_comm_channel_ep_")
class Endpoint:
    """One side of the channel: `listen` makes it a service on the DPU, `connect` a client on the host.

    The methods are the old C functions without their prefix, in the order of the old header. Sizes of messages
    are in bytes, those of queues in messages. Every failure raises the exception named for its code, AGAIN too.
    """

    @warns_as("doca_comm_channel_ep_create")
    def __init__(self) -> None:
        self._device: Device | None = None
        self._representor: Representor | None = None
        self._sizes: dict[Size, int] = {}
        self._dialler: Dialler | None = None
        self._become(Unlinked(Phase.FRESH))
        _endpoints.add(self)

    def __repr__(self) -> str:
        return f"<Endpoint, {self._link.phase.value}>"

    def _become(self, link: Link | Unlinked) -> None:
        self._link = link
        self._send = link.send
        self._receive = link.receive

    def _check(self, call: str) -> None:
        check(self._link.phase, call)

    def _linked(self, call: str) -> Link:
        """What the endpoint stands on, when the call is allowed."""
        self._check(call)
        assert isinstance(self._link, Link)
        return self._link

    # Properties

    def get_device(self) -> Device:
        """The device that was set."""
        self._check("get_device")
        if self._device is None:
            raise InvalidValue("get_device: no device has been set")
        return self._device

    def get_device_rep(self) -> Representor:
        """The representor that was set."""
        self._check("get_device_rep")
        if self._representor is None:
            raise InvalidValue("get_device_rep: no representor has been set")
        return self._representor

    def get_max_msg_size(self) -> int:
        """The largest message this endpoint sends."""
        return self._get("get_max_msg_size", MAX_MSG_SIZE)

    def get_send_queue_size(self) -> int:
        """The most messages in flight to one peer."""
        return self._get("get_send_queue_size", SEND_QUEUE_SIZE)

    def get_recv_queue_size(self) -> int:
        """The most messages that wait from one peer."""
        return self._get("get_recv_queue_size", RECV_QUEUE_SIZE)

    def set_device(self, device: Device) -> None:
        """The device to work on; needed by both sides."""
        self._check("set_device")
        self._device = instance(device, Device, "device")

    def set_device_rep(self, device_rep: Representor) -> None:
        """The representor to listen on; needed by a service only."""
        self._check("set_device_rep")
        self._representor = instance(device_rep, Representor, "device_rep")

    def set_max_msg_size(self, max_msg_size: int) -> None:
        """Up to the device's limit; a tiny size is raised."""
        self._set("set_max_msg_size", MAX_MSG_SIZE, max_msg_size)

    def set_send_queue_size(self, send_queue_size: int) -> None:
        """Up to the device's limit; rounded up to a power of two."""
        self._set("set_send_queue_size", SEND_QUEUE_SIZE, send_queue_size)

    def set_recv_queue_size(self, recv_queue_size: int) -> None:
        """Up to the device's limit; rounded up to a power of two."""
        self._set("set_recv_queue_size", RECV_QUEUE_SIZE, recv_queue_size)

    def _get(self, call: str, size: Size) -> int:
        self._check(call)
        return self._size(size)

    def _set(self, call: str, size: Size, value: int) -> None:
        self._check(call)
        self._sizes[size] = size.accept(value, self._devinfo())

    # Event channels

    def get_event_channel(self) -> tuple[int, int]:
        """The descriptors for messages in flight that have ended and for messages that came; arm before every wait."""
        return event_channel.get_event_channel(self._linked("get_event_channel"))

    def get_service_event_channel(self) -> int:
        """The descriptor for clients that come and go; this call and update_service_state_info arm it."""
        return service_state.get_event_channel(self._linked("get_service_event_channel"))

    def event_handle_arm_send(self) -> None:
        """Let the send descriptor fire once."""
        event_channel.arm_send(self._linked("event_handle_arm_send"))

    def event_handle_arm_recv(self) -> None:
        """Let the receive descriptor fire once."""
        event_channel.arm_recv(self._linked("event_handle_arm_recv"))

    # Connections

    def listen(self, name: str) -> None:
        """Become the service of that name on the representor; clients wait until `recvfrom` lets them in."""
        self._check("listen")
        name = text(name, "service name")
        device = self._device_of_side("listen", dpu=True)
        if self._representor is None:
            raise BadState("listen: no representor has been set; call set_device_rep first")
        self._become(_link.listen(device, self._representor.modern, name, **self._sizes_in_force()))

    def connect(self, name: str) -> PeerAddr:
        """Begin to connect to the service of that name; poll `peer.update_info` until it has let us in."""
        self._check("connect")
        name = text(name, "service name")
        device = self._device_of_side("connect", dpu=False)
        dialler = self._dialler or Dialler()
        try:
            link, peer = dialler.connect(device, name, **self._sizes_in_force())
        except BaseException:
            if self._dialler is None:  # else it holds descriptors that were given out
                dialler.close()
            raise
        self._dialler = dialler
        self._become(link)
        return peer

    def sendto(self, msg: Buffer, peer: PeerAddr, flags: int = 0) -> None:
        """Queue a copy of the message and return; Again when the queue is full or the handshake runs on."""
        if not self._send(msg, peer, flags):
            raise Again("sendto: the send queue is full, or the handshake has not been completed; try again")

    def recvfrom(self, size: int, flags: int = 0) -> tuple[bytes, PeerAddr]:
        """The oldest message of up to `size` bytes, with the peer that sent it; Again when none has come.

        InvalidValue with its `.length` when the message is longer, which then stays. ConnectionReset, with the
        peer as `.connection`, once for a peer in the error state whose messages have all been read.
        """
        arrived = self._receive(size, flags)
        if arrived is None:
            raise Again("recvfrom: no message has come; try again")
        return arrived

    def disconnect(self, peer_addr: PeerAddr) -> None:
        """Leave one connection; the other side is not told. A client may connect again afterwards."""
        self._linked("disconnect").disconnect(peer_addr)
        if self._link.closed:
            self._become(Unlinked(Phase.FRESH))

    def destroy(self) -> None:
        """Leave every connection and give everything back; what waits to be sent is lost."""
        self._check("destroy")
        link = self._link
        self._become(Unlinked(Phase.DESTROYED))
        link.close()
        if self._dialler is not None:
            self._dialler.close()

    # Service state

    def update_service_state_info(self) -> None:
        """Take a snapshot of the service and arm its event channel; ConnectionReset when it has failed."""
        service_state.update_info(self._linked("update_service_state_info"))

    def get_peer_addr_list(self) -> list[PeerAddr]:
        """The peers of the last snapshot."""
        return service_state.get_peer_addr_list(self._linked("get_peer_addr_list"))

    def get_pending_connections(self) -> int:
        """How many clients waited to be let in at the last snapshot."""
        return service_state.get_pending_connections(self._linked("get_pending_connections"))

    # What several of them ask

    def _devinfo(self) -> comch.DevInfo | None:
        return None if self._device is None else self._device.modern.devinfo

    def _size(self, size: Size) -> int:
        return self._sizes.get(size) or size.unset(self._devinfo())

    def _sizes_in_force(self) -> dict[str, int]:
        return {size.name: self._size(size) for size in (MAX_MSG_SIZE, SEND_QUEUE_SIZE, RECV_QUEUE_SIZE)}

    def _device_of_side(self, call: str, *, dpu: bool) -> comch.Device:
        """The device that was set. The wrong side is told before a missing representor: no host has one."""
        if self._device is None:
            raise BadState(f"{call}: no device has been set; call set_device first")
        if is_dpu(self._device) != dpu:
            right = "a DPU device listens, a host device connects"
            raise NotPermitted(f"{call}: {self._device} stands on the other side; {right}")
        info = self._device.modern.devinfo
        if not (info.cap_server_is_supported() if dpu else info.cap_client_is_supported()):
            raise NotSupported(f"{call}: {self._device} has no communication channel; use another device")
        return self._device.modern


_endpoints: WeakSet[Endpoint] = WeakSet()


def _disinherit() -> None:
    for endpoint in list(_endpoints):
        endpoint._become(Unlinked(Phase.INHERITED))


os.register_at_fork(after_in_child=_disinherit)
