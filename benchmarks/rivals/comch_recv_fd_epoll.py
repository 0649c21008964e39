"""comch_next by its conveniences, asleep in epoll on recv_fd."""

from __future__ import annotations

import select
from collections.abc import Callable
from pathlib import Path

import comch_next as comch
from benchmarks.rivals._end import End
from benchmarks.rivals.comch_send_receive import SendReceive, meet_as_client, meet_as_server


class SleepingSendReceive(SendReceive):
    """Armed before every sleep: what has come already makes the descriptor ready at once."""

    def __init__(self, context: comch.Server | comch.Client, connection: comch.Connection) -> None:
        super().__init__(context, connection)
        self.poller = select.epoll()
        self.poller.register(context.recv_fd, select.EPOLLIN)

    def receive(self) -> bytes:
        context, poller = self.context, self.poller
        while True:
            context.arm_recv()
            poller.poll()
            try:
                return context.receive(timeout=0).data
            except comch.Again:
                pass

    receive_many = End.receive_many


def serve(folder: Path, ready: Callable[[], None]) -> End:
    return SleepingSendReceive(*meet_as_server(ready))


def connect(folder: Path) -> End:
    return SleepingSendReceive(*meet_as_client())
