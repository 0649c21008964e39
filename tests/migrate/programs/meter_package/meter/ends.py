"""The two ends, which have the same way to send and receive."""
from __future__ import annotations

import time

import doca_comm_channel as cc

from .settings import Settings


class End:
    ep: cc.Endpoint
    dev: cc.Device

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.dev = cc.open_device(settings.device)
        self.ep = settings.apply(cc.Endpoint())
        self.ep.set_device(self.dev)

    def send(self, peer: cc.PeerAddr, *words: str) -> None:
        line = " ".join(words).encode()
        while True:
            try:
                return self.ep.sendto(line, peer)
            except self.settings.retry_on:
                time.sleep(0.001)

    def receive(self) -> tuple[cc.PeerAddr, list[str]]:
        while True:
            try:
                line, peer = self.ep.recvfrom(self.settings.message_size)
            except self.settings.retry_on:
                time.sleep(0.001)
            else:
                return peer, line.decode().split()

    def close(self) -> None:
        self.ep.destroy()
        self.dev.close()

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.close()


class ServiceEnd(End):
    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.rep = self.dev.open_representor(settings.representor)
        self.ep.set_device_rep(self.rep)
        self.ep.listen(settings.service)

    def close(self) -> None:
        self.ep.destroy()
        self.rep.close()
        self.dev.close()


class ClientEnd(End):
    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.peer = self.ep.connect(settings.service)
        while not self.ready:
            time.sleep(0.001)

    @property
    def ready(self) -> bool:
        try:
            self.peer.update_info()
        except cc.ConnectionInprogress:
            return False
        return True

    def ask(self, *words: str) -> str:
        self.send(self.peer, *words)
        _, answer = self.receive()
        return " ".join(answer)
