"""Calls every function of libdoca_comm_channel of DOCA 1.4 with one pointer in turn NULL, stale, or of another struct.

Prints one line for each call: function, parameter, what the pointer was, what the call returned, and how many lines the
SDK log got.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from cffi import FFI

from comch_next import api
from comch_next.api.prototypes import cdef, definition, prototype
from comch_next.capi._building.libraries import FACES
from tests.faces.bad_pointers import KINDS, Log, is_pointer, tag_of
from tests.faces.support import FOLDERS
from tests.faces.world import check

NAME = b"bad pointers of 1.4"
ffi = FFI()
ffi.cdef(cdef("core"))
ffi.cdef("struct doca_comm_channel_ep_t; struct doca_comm_channel_addr_t; typedef int doca_event_channel_t;")
ffi.cdef("".join(f"{definition(row)}\n" for row in api.structs("comm_channel_1x")))
ffi.cdef("".join(f"{prototype(row)};\n" for row in FACES["comm_channel-1.4"].functions()))
lib: Any = ffi.dlopen(str(FOLDERS[1] / "comm_channel-1.4" / "lib" / "libdoca_comm_channel.so.2"))


def cases() -> Iterator[tuple[api.Function, api.Param, str]]:
    """Every bad pointer: any may be NULL, handles may be stale or of another struct too."""
    for row in FACES["comm_channel-1.4"].functions():
        for param in filter(is_pointer, row.params):
            yield from ((row, param, kind) for kind in (KINDS if tag_of(param) in HANDLES else KINDS[:1]))


HANDLES = ("doca_comm_channel_ep_t", "doca_comm_channel_addr_t")


def out(kind: str) -> Any:
    return ffi.new(f"struct {kind} **")


def endpoint() -> Any:
    made_endpoint = out("doca_comm_channel_ep_t")
    check(lib.doca_comm_channel_ep_create(attributes(), made_endpoint))
    return made_endpoint[0]


def attributes() -> Any:
    return ffi.new("struct doca_comm_channel_init_attr *", {"maxmsgs": 8, "msgsize": 64})


class Pair:
    """A service and its client, as the handles by the name of their struct."""

    def __init__(self) -> None:
        self.service, client, peer = endpoint(), endpoint(), out("doca_comm_channel_addr_t")
        check(lib.doca_comm_channel_ep_listen(self.service, NAME))
        buffer, length, sender = ffi.new("char[64]"), ffi.new("size_t *", 64), out("doca_comm_channel_addr_t")
        with ThreadPoolExecutor() as threads:
            received = threads.submit(lib.doca_comm_channel_ep_recvfrom, self.service, buffer, length, 0, sender)
            check(lib.doca_comm_channel_ep_connect(client, NAME, peer))
            check(lib.doca_comm_channel_ep_sendto(client, b"hello", 5, 0, peer[0]))
            check(received.result())
        self.handles = dict(zip(HANDLES, (client, peer[0]), strict=True))

    def close(self) -> None:
        for handle in (self.handles["doca_comm_channel_ep_t"], self.service):
            check(lib.doca_comm_channel_ep_destroy(handle))


def bad(param: api.Param, kind: str, living: Pair, stale: Pair) -> Any:
    """The one bad argument; another struct is the other one of the two."""
    if kind == "null":
        return ffi.NULL
    other = HANDLES[1 - HANDLES.index(tag_of(param))]
    return ffi.cast("void *", stale.handles[tag_of(param)] if kind == "stale" else living.handles[other])


def good(param: api.Param, living: Pair) -> Any:
    """Any other."""
    if tag_of(param) in HANDLES:
        return ffi.cast("void *", living.handles[tag_of(param)])
    if tag_of(param) == "doca_comm_channel_init_attr":
        return attributes()
    return ffi.new("char[64]", b"text") if is_pointer(param) else 1


def main() -> int:
    log, stale = Log(), Pair()
    stale.close()
    living = Pair()
    for row, wrong, kind in cases():
        print(row.name, wrong.name, kind, end=" ", flush=True)  # so that a crash names its call
        kept = [bad(param, kind, living, stale) if param is wrong else good(param, living) for param in row.params]
        given = [ffi.cast("void *", value) if isinstance(value, ffi.CData) else value for value in kept]
        log.new_lines()  # of what made the arguments
        print(getattr(lib, row.name)(*given), log.new_lines(), flush=True)
    living.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
