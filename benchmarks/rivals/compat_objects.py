"""The first generation's objects: ep.sendto and ep.recvfrom, in the loops that old programs have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import comm_channel_compat as cc
from benchmarks.rivals._end import MAX_SIZE, QUEUE_SIZE, End


class Objects(End):
    """Again is raised when there is no room, or no message."""

    def __init__(self, ep: cc.Endpoint, peer: cc.PeerAddr) -> None:
        self.ep = ep
        self.peer = peer

    def send(self, data: bytes) -> None:
        while True:
            try:
                self.ep.sendto(data, self.peer)
                return
            except cc.Again:
                pass

    def receive(self) -> bytes:
        while True:
            try:
                return self.ep.recvfrom(MAX_SIZE)[0]
            except cc.Again:
                pass

    def send_many(self, data: bytes, count: int) -> None:
        sendto, peer, again = self.ep.sendto, self.peer, cc.Again
        while count:
            try:
                sendto(data, peer)
                count -= 1
            except again:
                pass

    def receive_many(self, count: int) -> None:
        recvfrom, again = self.ep.recvfrom, cc.Again
        while count:
            try:
                recvfrom(MAX_SIZE)
                count -= 1
            except again:
                pass

    def close(self) -> None:
        self.ep.destroy()


def endpoint(pci_addr: str, rep_pci: str | None = None) -> cc.Endpoint:
    device = cc.open_device(pci_addr)
    ep = cc.Endpoint()
    ep.set_device(device)
    if rep_pci is not None:
        ep.set_device_rep(device.open_representor(rep_pci))
    ep.set_max_msg_size(MAX_SIZE)
    ep.set_send_queue_size(QUEUE_SIZE)
    ep.set_recv_queue_size(QUEUE_SIZE)
    return ep


def meet_as_service(ready: Callable[[], None]) -> tuple[cc.Endpoint, cc.PeerAddr]:
    """An endpoint and its peer, whom a service learns from the first message."""
    ep = endpoint("03:00.0", "b1:00.0")
    ep.listen("bench")
    ready()
    while True:
        try:
            return ep, ep.recvfrom(MAX_SIZE)[1]
        except cc.Again:
            pass


def meet_as_client() -> tuple[cc.Endpoint, cc.PeerAddr]:
    ep = endpoint("b1:00.0")
    peer = ep.connect("bench")
    while True:
        try:
            ep.sendto(b"", peer)
            return ep, peer
        except cc.Again:
            pass


def serve(folder: Path, ready: Callable[[], None]) -> End:
    return Objects(*meet_as_service(ready))


def connect(folder: Path) -> End:
    return Objects(*meet_as_client())
