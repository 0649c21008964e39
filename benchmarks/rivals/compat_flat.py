"""The first generation's C names: result codes, and lengths beside the messages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import comm_channel_compat as cc
from benchmarks.rivals._end import MAX_SIZE, End
from benchmarks.rivals.compat_objects import meet_as_client, meet_as_service
from comm_channel_compat import (
    DOCA_CC_MSG_FLAG_NONE,
    DOCA_ERROR_AGAIN,
    doca_comm_channel_ep_recvfrom,
    doca_comm_channel_ep_sendto,
)


class Flat(End):
    """DOCA_ERROR_AGAIN says that there is no room, or no message."""

    def __init__(self, ep: cc.Endpoint, peer: cc.PeerAddr) -> None:
        self.ep = ep
        self.peer = peer

    def send(self, data: bytes) -> None:
        ep, peer = self.ep, self.peer
        while doca_comm_channel_ep_sendto(ep, data, len(data), DOCA_CC_MSG_FLAG_NONE, peer) == DOCA_ERROR_AGAIN:
            pass

    def receive(self) -> bytes:
        while True:
            rc, message, _, _ = doca_comm_channel_ep_recvfrom(self.ep, MAX_SIZE, DOCA_CC_MSG_FLAG_NONE)
            if rc != DOCA_ERROR_AGAIN:
                return message  # type: ignore[no-any-return]  # the flat names are not typed one by one

    def send_many(self, data: bytes, count: int) -> None:
        sendto, ep, peer, length = doca_comm_channel_ep_sendto, self.ep, self.peer, len(data)
        while count:
            if sendto(ep, data, length, DOCA_CC_MSG_FLAG_NONE, peer) != DOCA_ERROR_AGAIN:
                count -= 1

    def receive_many(self, count: int) -> None:
        recvfrom, ep = doca_comm_channel_ep_recvfrom, self.ep
        while count:
            if recvfrom(ep, MAX_SIZE, DOCA_CC_MSG_FLAG_NONE)[0] != DOCA_ERROR_AGAIN:
                count -= 1

    def close(self) -> None:
        self.ep.destroy()


def serve(folder: Path, ready: Callable[[], None]) -> End:
    return Flat(*meet_as_service(ready))


def connect(folder: Path) -> End:
    return Flat(*meet_as_client())
