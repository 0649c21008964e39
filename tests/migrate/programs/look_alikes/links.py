"""Links over the channel: handles in fields with defaults, factories, slots; a cache by name."""
from __future__ import annotations

import time
import weakref
from dataclasses import dataclass, field
from functools import singledispatchmethod
from typing import ClassVar, Dict, Optional

import doca_comm_channel as cc


class Hosts:
    """Opens each device once."""
    __slots__ = ("_devices", "__weakref__")

    def __init__(self):
        self._devices: Dict[str, cc.Device] = {}

    def __getitem__(self, pci):
        if pci not in self._devices:
            self._devices[pci] = cc.open_device(pci)
        return self._devices[pci]

    def close(self):
        while self._devices:
            self._devices.popitem()[1].close()


@dataclass(eq=False)
class Link:
    hosts: Hosts
    name: str
    ep: cc.Endpoint = field(default_factory=cc.Endpoint, repr=False)
    peer: Optional[cc.PeerAddr] = None
    rep: Optional[cc.Representor] = field(default=None, repr=False)
    alive: ClassVar[weakref.WeakSet] = weakref.WeakSet()

    def __post_init__(self):
        self.alive.add(self)

    def listen(self, pci, function):
        self.rep = self.hosts[pci].open_representor(function)
        self.ep.set_device(self.hosts[pci])
        self.ep.set_device_rep(self.rep)
        self.ep.listen(self.name)
        return self

    def connect(self, pci):
        self.ep.set_device(self.hosts[pci])
        self.peer = self.ep.connect(self.name)
        return self

    @singledispatchmethod
    def answer(self, to, text):
        raise TypeError(type(to).__name__)

    @answer.register
    def _(self, to: cc.PeerAddr, text):
        self.ep.sendto(text.encode(), to)
        return "sent"

    @answer.register
    def _(self, to: str, text):
        return f"{to} is told {text}"

    def receive(self, seconds=10.0):
        end = time.monotonic() + seconds
        while True:
            try:
                return self.ep.recvfrom(100)
            except cc.Again:
                if time.monotonic() > end:
                    return None
                time.sleep(1e-4)

    def close(self):
        if self.peer is not None:
            self.ep.disconnect(self.peer)
        self.ep.destroy()
        if self.rep is not None:
            self.rep.close()
