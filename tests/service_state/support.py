"""Clients in numbers, and what a service says of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from comm_channel_compat import Again, Endpoint, PeerAddr
from tests.compat import support

__all__ = ["Guest", "drain", "guests", "state", "until"]


class Guest(NamedTuple):
    """A client, and its peer."""

    ep: Endpoint
    peer: PeerAddr

    def say(self, msg: bytes) -> None:
        support.eventually(self.ep.sendto, msg, self.peer)


def guests(service: Endpoint, count: int, name: str = support.NAME) -> list[Guest]:
    """Clients that have been let in."""
    came = []
    for _ in range(count):
        ep = support.client()
        came.append(Guest(ep, ep.connect(name)))
        support.let_in(service, came[-1].peer)
    return came


def state(service: Endpoint) -> tuple[list[PeerAddr], int]:
    """Peers and pending connections, freshly taken."""
    service.update_service_state_info()
    return service.get_peer_addr_list(), service.get_pending_connections()


def until(service: Endpoint, check: Callable[[list[PeerAddr], int], bool]) -> list[PeerAddr]:
    """The peers of the first snapshot that passes."""

    def fitting() -> list[PeerAddr]:
        peers, pending = state(service)
        if not check(peers, pending):
            raise Again
        return peers

    return support.eventually(fitting)


def drain(service: Endpoint) -> None:
    """One recvfrom that finds nothing."""
    with suppress(Again):
        service.recvfrom(0)
