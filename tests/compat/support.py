"""What the tests of the old faces share: an endpoint of each side, and waiting with a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from comm_channel_compat import Again, ConnectionInprogress, Endpoint, PeerAddr, open_device

__all__ = ["DPU", "HOST", "NAME", "REP", "Pair", "client", "eventually", "let_in", "service"]

DPU, REP, HOST, NAME = "03:00.0", "b1:00.0", "b1:00.0", "svc"
DEADLINE_S = 5.0

_T = TypeVar("_T")


def eventually(call: Callable[..., _T], *args: object) -> _T:
    """The result of a call that may say AGAIN or CONNECTION_INPROGRESS for a while."""
    end = time.monotonic() + DEADLINE_S
    while True:
        try:
            return call(*args)
        except (Again, ConnectionInprogress):
            if time.monotonic() > end:
                raise
            time.sleep(0.0001)


def service(name: str = NAME, rep: str = REP, **sizes: int) -> Endpoint:
    """An endpoint that listens; sizes are properties: `max_msg_size=64`."""
    ep = Endpoint()
    device = open_device(DPU)
    ep.set_device(device)
    ep.set_device_rep(device.open_representor(rep))
    _set(ep, sizes)
    ep.listen(name)
    return ep


def client(**sizes: int) -> Endpoint:
    """An endpoint that may connect."""
    ep = Endpoint()
    ep.set_device(open_device(HOST))
    _set(ep, sizes)
    return ep


def _set(ep: Endpoint, sizes: dict[str, int]) -> None:
    for name, value in sizes.items():
        getattr(ep, f"set_{name}")(value)


def let_in(ep: Endpoint, peer: PeerAddr) -> None:
    """Complete the handshake of a client that has just called connect."""
    end = time.monotonic() + DEADLINE_S
    while True:
        with suppress(Again):
            ep.recvfrom(0)
        try:
            peer.update_info()
            return
        except ConnectionInprogress:
            if time.monotonic() > end:
                raise


class Pair:
    """A service and a client that are connected, in one process, and each one's peer."""

    def __init__(self, **sizes: int) -> None:
        self.service = service(**sizes)
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
