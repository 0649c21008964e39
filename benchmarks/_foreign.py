"""What of a cffi script's round trip is the library's: python -m benchmarks._foreign, both ends in one process.

Prints the processor time of a round trip, as a multiple of the one through generation 1's objects: through cffi, and
through cffi with calls that the C library refuses at once, which is what cffi and the script themselves take.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from benchmarks.rivals._end import MAX_SIZE, End
from benchmarks.rivals.cffi_script import AGAIN, Script, check, ffi
from benchmarks.rivals.compat_objects import Objects, endpoint
from comm_channel_compat import Again

ROUNDS, ROUND_TRIPS = 100, 400
DATA = bytes(64)


class Refused(Script):
    """The same statements, of which each call has a NULL endpoint."""

    def send(self, data: bytes) -> None:
        while self.lib.doca_comm_channel_ep_sendto(ffi.NULL, data, len(data), 0, self.peer[0]) == AGAIN:
            pass

    def receive(self) -> bytes:
        while True:
            self.length[0] = MAX_SIZE
            code = self.lib.doca_comm_channel_ep_recvfrom(ffi.NULL, self.buffer, self.length, 0, self.peer)
            if code:
                return bytes(ffi.buffer(self.buffer, len(DATA)))


def objects() -> tuple[End, End]:
    service, client = endpoint("03:00.0", "b1:00.0"), endpoint("b1:00.0")
    service.listen("objects")
    peer = client.connect("objects")
    while True:
        try:
            return Objects(client, peer), Objects(service, service.recvfrom(MAX_SIZE)[1])
        except Again:  # also where it has let the client in
            with suppress(Again):
                client.sendto(b"hello", peer)


def script() -> tuple[End, End]:
    service, client = Script("03:00.0"), Script("b1:00.0")
    lib: Any = service.lib
    check(lib.doca_comm_channel_ep_set_device_rep(service.ep, service.representor()))
    check(lib.doca_comm_channel_ep_listen(service.ep, b"script"))
    check(lib.doca_comm_channel_ep_connect(client.ep, b"script", client.peer))
    while lib.doca_comm_channel_peer_addr_update_info(client.peer[0]):
        service.length[0] = MAX_SIZE
        lib.doca_comm_channel_ep_recvfrom(service.ep, service.buffer, service.length, 0, service.peer)
    client.send(b"hello")
    service.receive()
    return client, service


def round_trip_ns(pair: tuple[End, End]) -> float:
    """The processor time of one."""
    client, service = pair
    before = time.process_time_ns()
    for _ in range(ROUND_TRIPS):
        client.send(DATA)
        service.receive()
        service.send(DATA)
        client.receive()
    return (time.process_time_ns() - before) / ROUND_TRIPS


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["COMCH_RUNTIME_DIR"] = folder
        makers: dict[str, Callable[[], tuple[End, End]]] = {"objects": objects, "cffi": script}
        pairs = {name: make() for name, make in makers.items()}
        pairs["cffi, refused at once"] = (Refused("b1:00.0"), Refused("03:00.0"))
        rounds = [{name: round_trip_ns(pair) for name, pair in pairs.items()} for _ in range(ROUNDS)]
        best = {name: min(found[name] for found in rounds) for name in pairs}
        for name in list(pairs)[1:]:
            print(f"{name}: {best[name] / best['objects']:.1f} times the objects' {best['objects']:.0f} ns")


if __name__ == "__main__":
    main()
