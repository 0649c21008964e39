"""The first generation's objects, asleep in epoll on the receive event channel."""

from __future__ import annotations

import select
from collections.abc import Callable
from pathlib import Path

import comm_channel_compat as cc
from benchmarks.rivals._end import MAX_SIZE, End
from benchmarks.rivals.compat_objects import Objects, meet_as_client, meet_as_service


class SleepingObjects(Objects):
    """Armed before every sleep, as the old guide has it."""

    def __init__(self, ep: cc.Endpoint, peer: cc.PeerAddr) -> None:
        super().__init__(ep, peer)
        self.poller = select.epoll()
        self.poller.register(ep.get_event_channel()[1], select.EPOLLIN)

    def receive(self) -> bytes:
        ep, poller = self.ep, self.poller
        while True:
            ep.event_handle_arm_recv()
            poller.poll()
            try:
                return ep.recvfrom(MAX_SIZE)[0]
            except cc.Again:
                pass

    receive_many = End.receive_many


def serve(folder: Path, ready: Callable[[], None]) -> End:
    return SleepingObjects(*meet_as_service(ready))


def connect(folder: Path) -> End:
    return SleepingObjects(*meet_as_client())
