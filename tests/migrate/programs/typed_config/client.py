from __future__ import annotations

import sys
import time
from dataclasses import InitVar, dataclass, field
from typing import Iterator

from doca_comm_channel import Again, ConnectionInprogress, Device, Endpoint, PeerAddr, open_device


@dataclass
class Client:
    device: Device
    name: str
    size: InitVar[int] = 200
    endpoint: Endpoint = field(init=False)
    peer: PeerAddr | None = field(init=False, default=None)

    def __post_init__(self, size: int) -> None:
        self.endpoint = Endpoint()
        self.endpoint.set_device(self.device)
        self.endpoint.set_max_msg_size(size)

    def __enter__(self) -> Client:
        self.peer = self.endpoint.connect(self.name)
        for _ in self.patiently():
            try:
                self.peer.update_info()
                break
            except ConnectionInprogress:
                pass
        return self

    def __exit__(self, *exc: object) -> None:
        if self.peer is not None:
            self.endpoint.disconnect(self.peer)
        self.endpoint.destroy()

    @staticmethod
    def patiently(seconds: float = 60) -> Iterator[float]:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            yield left
            time.sleep(1e-4)
        raise TimeoutError

    def ask(self, line: str) -> str:
        for _ in self.patiently():
            try:
                self.endpoint.sendto(line.encode(), self.peer)
                break
            except Again:
                continue
        for _ in self.patiently():
            try:
                answer, peer = self.endpoint.recvfrom(200)
            except Again:
                continue
            assert peer == self.peer
            return answer.decode()
        raise AssertionError


def main() -> int:
    with open_device("b1:00.0") as device, Client(device, "typed_config", size=200) as client:
        for line in ("colour=blue", "shape", "colour", "shape=round", "shape"):
            print(client.ask(line))
        print(client.ask("quit"))
    return 0


sys.exit(main())
