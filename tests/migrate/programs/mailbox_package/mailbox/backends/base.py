"""What both ends share: an endpoint and its device."""
import time

import doca_comm_channel as cc

from .. import errors
from ..message import Letter


class Base:
    pci = None
    size = 1024

    def __init__(self, name, pci=None, timeout=60.0):
        self.name = name
        self.timeout = timeout
        self.device = cc.open_device(pci or self.pci)
        self.opened = [self.device]
        self.endpoint = cc.Endpoint()
        self.endpoint.set_device(self.device)
        self.endpoint.set_max_msg_size(self.size)

    def __enter__(self):
        with errors.translated("open"):
            self._open()
        return self

    def __exit__(self, *exc_info):
        self._leave()
        self.endpoint.destroy()
        while self.opened:
            self.opened.pop().close()
        return False

    def _open(self):
        raise NotImplementedError

    def _leave(self):
        pass

    def _receive(self):
        end = time.monotonic() + self.timeout
        while True:
            try:
                data, peer = self.endpoint.recvfrom(self.size)
                return Letter.unpack(data), peer
            except cc.Again:
                if time.monotonic() > end:
                    raise errors.Timeout(f"{self.name} after {self.timeout} s") from None
                time.sleep(1e-4)

    def _send(self, letter, peer):
        with errors.translated("send"):
            while True:
                try:
                    return self.endpoint.sendto(letter.pack(), peer)
                except cc.Again:
                    time.sleep(1e-4)
