# -*- coding: utf-8 -*-
"""A registry of ports; written for Python 2 and 3 once, hence the comments."""
import collections
import time

try:
    from typing import TYPE_CHECKING
except ImportError:
    TYPE_CHECKING = False

import doca_comm_channel as cc

if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterator, List, Optional, Text, Tuple


class Port(object):
    name = ""  # type: Text

    def __init__(self, name, owner):
        # type: (Text, cc.PeerAddr) -> None
        self.name = name
        self.owner = owner  # type: cc.PeerAddr
        self.uses = 0  # type: int

    def used(self):
        # type: () -> int
        self.uses += 1
        return self.uses


class Registry(object):
    """Ports by name; a port has one owner."""

    def __init__(self, endpoint):
        # type: (cc.Endpoint) -> None
        self.endpoint = endpoint
        self.ports = collections.OrderedDict()  # type: Dict[Text, Port]

    def claim(self, name, peer):
        # type: (Text, cc.PeerAddr) -> bool
        port = self.ports.get(name)  # type: Optional[Port]
        if port is None:
            self.ports[name] = Port(name, peer)
            return True
        return port.owner == peer

    def use(self, name):
        # type: (Text) -> Optional[int]
        port = self.ports.get(name)
        return None if port is None else port.used()

    def of(self,
           peer,  # type: cc.PeerAddr
           limit=10,  # type: int
           ):
        # type: (...) -> List[Text]
        return [port.name for port in self.ports.values() if port.owner == peer][:limit]

    def reply(self, text, peer):
        # type: (Text, cc.PeerAddr) -> None
        wait_for(lambda: self.endpoint.sendto(text.encode("ascii"), peer), cc.Again)

    def requests(self, seconds=60):
        # type: (float) -> Iterator[Tuple[List[Text], cc.PeerAddr]]
        while True:
            data, peer = wait_for(lambda: self.endpoint.recvfrom(256), cc.Again, seconds)
            yield data.decode("ascii").split(), peer


def wait_for(call, busy, seconds=60.0):
    # type: (Callable[[], Any], type, float) -> Any
    end = time.time() + seconds
    while True:
        try:
            return call()
        except busy:
            if time.time() > end:
                raise
            time.sleep(0.0001)
