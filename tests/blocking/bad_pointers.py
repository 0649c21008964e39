"""Calls every function of the C library of DOCA 1.4 with one pointer in turn NULL, stale, or of another struct.

Prints one line for each call: function, parameter, what the pointer was, and what the call returned.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any, cast

from cffi import FFI

from comch_next.declarations.comm_channel_1x import FUNCTIONS

EP, PEER = "struct doca_comm_channel_ep_t *", "struct doca_comm_channel_addr_t *"
KINDS = ("null", "stale", "foreign")
SIZE = 64


def cases() -> Iterator[tuple[str, str, str]]:
    """Every bad pointer: any may be NULL, handles may be stale or of another struct too."""
    for name, (_, parameters) in FUNCTIONS.items():
        for parameter, _, ctype in parameters:
            if name != "doca_comm_channels_poll" and "*" in ctype:
                yield from ((name, parameter, kind) for kind in (KINDS if ctype in (EP, PEER) else KINDS[:1]))


class World:
    """A service and its client in one process, and what is left of another pair."""

    def __init__(self) -> None:
        self.ffi = FFI()
        rows = (f"int {name}({', '.join(ctype for _, _, ctype in rows)});" for name, (_, rows) in FUNCTIONS.items()
                if name != "doca_comm_channels_poll")  # fmt: skip
        self.ffi.cdef("\n".join(rows))
        self.lib = cast(Any, self.ffi.dlopen("libdoca_comm_channel.so.2"))
        self.kept: list[Any] = []
        ended = self.pair(b"ended")
        for end in ended[:2]:
            self.check(self.lib.doca_comm_channel_ep_destroy(end))
        self.stale = {EP: ended[0], PEER: ended[2]}
        self.service, self.client, self.peer = self.pair(b"living")

    def check(self, code: int) -> None:
        assert code == 0, code

    def endpoint(self) -> Any:
        """Make an endpoint."""
        attr, ep = self.ffi.new("uint32_t[4]", [0, 0, 8, SIZE]), self.ffi.new(f"{EP}*")
        self.check(self.lib.doca_comm_channel_ep_create(self.ffi.cast("void *", attr), ep))
        return ep[0]

    def pair(self, name: bytes) -> tuple[Any, Any, Any]:
        """A service, a client, and what that has connected to."""
        service, client, peer = self.endpoint(), self.endpoint(), self.ffi.new(f"{PEER}*")
        self.check(self.lib.doca_comm_channel_ep_listen(service, name))

        def connect() -> None:
            self.check(self.lib.doca_comm_channel_ep_connect(client, name, peer))
            self.check(self.lib.doca_comm_channel_ep_sendto(client, b"hello", 5, 0, peer[0]))

        thread = threading.Thread(target=connect)
        thread.start()
        self.receive(service)
        thread.join()
        return service, client, peer[0]

    def receive(self, ep: Any) -> None:
        """Wait for a message."""
        buf, size, peer = self.ffi.new("char[]", SIZE), self.ffi.new("size_t *", SIZE), self.ffi.new(f"{PEER}*")
        self.check(self.lib.doca_comm_channel_ep_recvfrom(ep, buf, size, 0, peer))

    def bad(self, ctype: str, kind: str) -> Any:
        """The one bad argument."""
        if kind == "null":
            return self.ffi.NULL
        found = self.stale[ctype] if kind == "stale" else self.peer if ctype == EP else self.client
        return self.ffi.cast("void *", found)

    def good(self, name: str, ctype: str) -> Any:
        """Any other."""
        handles = {EP: self.client, PEER: self.peer}
        if ctype in handles:
            return handles[ctype]
        if ctype in ("const char *", "const void *"):
            return b"text"
        if "*" in ctype:
            memory = self.ffi.new("char[]", 512)
            self.kept.append(memory)
            if name.endswith("_recvfrom") and ctype == "size_t *":
                self.ffi.cast("size_t *", memory)[0] = SIZE
            return self.ffi.cast("void *", memory)
        return 1  # a length; as flags, not to wait


def main() -> None:
    world = World()
    for name, bad, kind in cases():
        print(name, bad, kind, end=" ", flush=True)  # so that a crash names its call
        arguments = [
            world.bad(ctype, kind) if parameter == bad else world.good(name, ctype)
            for parameter, _, ctype in FUNCTIONS[name][1]
        ]
        print(getattr(world.lib, name)(*arguments), flush=True)
    world.check(world.lib.doca_comm_channel_ep_sendto(world.client, b"still", 5, 0, world.peer))
    world.receive(world.service)


if __name__ == "__main__":
    main()
