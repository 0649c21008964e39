"""Chunked RPC with a retry decorator and dataclasses, type hints everywhere."""
from __future__ import annotations

import functools
import time
from dataclasses import dataclass, field
from typing import Any, Callable, TypeVar

import doca_comm_channel
from doca_comm_channel import Again, ConnectionInprogress, DocaError, PeerAddr

T = TypeVar("T")


def retrying(*errors: type[DocaError], pause: float = 1e-4) -> Callable[[Callable[..., T]], Callable[..., T]]:
    def wrap(call: Callable[..., T]) -> Callable[..., T]:
        @functools.wraps(call)
        def wrapper(*args: Any, **kwargs: Any) -> T:
            while True:
                try:
                    return call(*args, **kwargs)
                except errors:
                    time.sleep(pause)

        return wrapper

    return wrap


@dataclass
class Reply:
    status: int = 0
    body: bytes = field(default=b"", repr=False)


@retrying(Again)
def send(ep: doca_comm_channel.Endpoint, peer: PeerAddr, msg: bytes) -> None:
    ep.sendto(msg, peer)


@retrying(Again)
def receive(ep: doca_comm_channel.Endpoint) -> tuple[bytes, PeerAddr]:
    return ep.recvfrom(4080)


@retrying(ConnectionInprogress)
def wait(peer: PeerAddr) -> None:
    peer.update_info()


def call(ep: doca_comm_channel.Endpoint, peer: PeerAddr, request: bytes) -> Reply:
    for at in range(0, len(request), 2048):
        send(ep, peer, request[at:at + 2048])
    body, _ = receive(ep)
    return Reply(0, body)


def main() -> None:
    device = doca_comm_channel.open_device("b1:00.0")
    endpoint = doca_comm_channel.Endpoint()
    endpoint.set_device(device)
    endpoint.set_max_msg_size(4080)
    peer = endpoint.connect("rpc")
    wait(peer)
    print(call(endpoint, peer, b"status"))
    endpoint.disconnect(peer)
    endpoint.destroy()


if __name__ == "__main__":
    main()
