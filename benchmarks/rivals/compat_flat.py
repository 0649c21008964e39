"""The first generation's C names: result codes, and lengths beside the messages."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import comm_channel_compat as cc
from benchmarks.rivals._end import MAX_SIZE, End
from benchmarks.rivals.compat_objects import meet_as_client, meet_as_service

names: Any = import_module("comm_channel_compat")  # the C names are made from tables, which mypy does not see
AGAIN, SUCCESS, NO_FLAGS = names.DOCA_ERROR_AGAIN, names.DOCA_SUCCESS, names.DOCA_CC_MSG_FLAG_NONE
sendto, recvfrom = names.doca_comm_channel_ep_sendto, names.doca_comm_channel_ep_recvfrom


class Flat(End):
    """DOCA_ERROR_AGAIN says that there is no room, or no message."""

    def __init__(self, ep: cc.Endpoint, peer: cc.PeerAddr) -> None:
        self.ep = ep
        self.peer = peer

    def send(self, data: bytes) -> None:
        while sendto(self.ep, data, len(data), NO_FLAGS, self.peer) == AGAIN:
            pass

    def receive(self) -> bytes:
        while True:
            rc, message, _, _ = recvfrom(self.ep, MAX_SIZE, NO_FLAGS)
            if rc == SUCCESS:
                return message  # type: ignore[no-any-return]

    def send_many(self, data: bytes, count: int) -> None:
        send, ep, peer, length = sendto, self.ep, self.peer, len(data)
        while count:
            if send(ep, data, length, NO_FLAGS, peer) == SUCCESS:
                count -= 1

    def receive_many(self, count: int) -> None:
        receive, ep = recvfrom, self.ep
        while count:
            rc, _, _, _ = receive(ep, MAX_SIZE, NO_FLAGS)
            if rc == SUCCESS:
                count -= 1

    def close(self) -> None:
        self.ep.destroy()


def serve(folder: Path, ready: Callable[[], None]) -> End:
    return Flat(*meet_as_service(ready))


def connect(folder: Path) -> End:
    return Flat(*meet_as_client())
