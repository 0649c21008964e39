"""What the tests of the old faces share: an endpoint of each side, and waiting with a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from comm_channel_compat import Again, ConnectionInprogress, Endpoint, PeerAddr, open_device
from tests.processes import SOON_S

__all__ = [
    "DPU",
    "HOST",
    "NAME",
    "REP",
    "Pair",
    "client",
    "endpoint",
    "eventually",
    "let_in",
    "made",
    "service",
    "statistics",
]

DPU, REP, HOST, NAME = "03:00.0", "b1:00.0", "b1:00.0", "svc"

_T = TypeVar("_T")

made: list[Endpoint] = []  # those of the running test, for its end


def eventually(call: Callable[..., _T], *args: object) -> _T:
    """The result of a call that may say AGAIN or CONNECTION_INPROGRESS for a while."""
    end = time.monotonic() + SOON_S
    while True:
        try:
            return call(*args)
        except (Again, ConnectionInprogress):
            if time.monotonic() > end:
                raise
            time.sleep(0.0001)


def endpoint(device: str | None = None) -> Endpoint:
    """A fresh endpoint, on a device."""
    made.append(Endpoint())
    if device is not None:
        made[-1].set_device(open_device(device))
    return made[-1]


def service(name: str = NAME, rep: str = REP, **sizes: int) -> Endpoint:
    """An endpoint that listens; sizes are properties: `max_msg_size=64`."""
    ep = endpoint(DPU)
    ep.set_device_rep(ep.get_device().open_representor(rep))
    _set(ep, sizes)
    ep.listen(name)
    return ep


def client(**sizes: int) -> Endpoint:
    """An endpoint that may connect."""
    ep = endpoint(HOST)
    _set(ep, sizes)
    return ep


def _set(ep: Endpoint, sizes: dict[str, int]) -> None:
    for name, value in sizes.items():
        getattr(ep, f"set_{name}")(value)


def let_in(ep: Endpoint, peer: PeerAddr) -> None:
    """Complete the handshake of a client that has just called connect."""
    end = time.monotonic() + SOON_S
    while True:
        with suppress(Again):
            ep.recvfrom(0)
        try:
            peer.update_info()
            return
        except ConnectionInprogress:
            if time.monotonic() > end:
                raise


def statistics(peer: PeerAddr) -> tuple[int, ...]:
    """Messages and bytes sent, messages and bytes received, messages in flight."""
    return (
        peer.get_send_messages(),
        peer.get_send_bytes(),
        peer.get_recv_messages(),
        peer.get_recv_bytes(),
        peer.get_send_in_flight_messages(),
    )


class Pair:
    """A service and a client that are connected, in one process, and each one's peer."""

    def __init__(self, **sizes: int) -> None:
        self.service = service(NAME, REP, **sizes)
        self.client = client(**sizes)
        self.to_service = self.client.connect(NAME)
        let_in(self.service, self.to_service)

    def introduce(self) -> PeerAddr:
        """The service's peer, which it learns from a first message."""
        eventually(self.client.sendto, b"hello", self.to_service)
        msg, peer = eventually(self.service.recvfrom, 100)
        assert msg == b"hello"
        return peer

    def destroy(self) -> None:
        for ep in (self.client, self.service):
            ep.destroy()
