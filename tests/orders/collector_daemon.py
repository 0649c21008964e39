#!/usr/bin/env python3
"""A daemon that makes its client in __init__, sets it in setup, connects in run, and goes on to the next name."""

from __future__ import annotations

import os
import select
import sys
from typing import Any

import comch_next

comch: Any = comch_next

TIMEOUT_S = 60.0


class Collector:
    """Visits one server after the other with one client, whose descriptors are registered once."""

    def __init__(self) -> None:
        self.client = comch.Client()
        self.epoll = select.epoll()
        self.recv_fd = -1
        self.wakes = 0

    def setup(self, pci_addr: str, size: int) -> None:
        self.device = comch.open_device(pci_addr)
        self.client.device = self.device
        self.client.configure(max_msg_size=size, recv_queue_size=16)
        self.client.send_queue_size = 16

    def run(self, names: list[str]) -> None:
        for name in names:
            connection = self.client.connect(name, timeout=TIMEOUT_S)
            self.register()
            self.client.send_to(b"report", connection)
            print(name, self.wait_for_answer().decode(), flush=True)
            connection.flush(timeout=TIMEOUT_S)
            self.client.disconnect(connection)

    def register(self) -> None:
        """Once: the descriptor stays that of the client over disconnects."""
        if self.recv_fd < 0:
            self.recv_fd = self.client.recv_fd
            self.epoll.register(self.recv_fd, select.EPOLLIN)
        assert self.client.recv_fd == self.recv_fd
        os.fstat(self.recv_fd)

    def wait_for_answer(self) -> bytes:
        while True:
            self.client.arm_recv()
            try:
                data: bytes = self.client.receive(timeout=0).data
                return data
            except comch.Again:
                assert self.epoll.poll(TIMEOUT_S), "nothing came"
                self.wakes += 1

    def close(self) -> None:
        self.epoll.close()
        self.client.close()
        self.device.close()


def main() -> int:
    collector = Collector()
    collector.setup("b1:00.0", 4080)
    collector.run(sys.argv[1:])
    collector.close()
    assert collector.wakes <= 3 * len(sys.argv), f"{collector.wakes} wake-ups"
    print("idle", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
