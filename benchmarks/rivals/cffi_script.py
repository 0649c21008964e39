"""A script that calls the C library through cffi: generation 1, spinning on AGAIN."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from cffi import FFI

from benchmarks._libraries import folder as libraries
from benchmarks.rivals._end import MAX_SIZE, QUEUE_SIZE, End
from comm_channel_compat import capi

ffi: Any = FFI()
ffi.cdef("""
    int doca_devinfo_create_list(void ***list, uint32_t *count);
    int doca_devinfo_destroy_list(void **list);
    int doca_devinfo_is_equal_pci_addr(void *info, const char *pci_addr, uint8_t *is_equal);
    int doca_dev_open(void *info, void **dev);
    int doca_devinfo_rep_create_list(void *dev, int filter, void ***list, uint32_t *count);
    int doca_devinfo_rep_destroy_list(void **list);
    int doca_dev_rep_open(void *info, void **rep);
    int doca_comm_channel_ep_create(void **ep);
    int doca_comm_channel_ep_set_device(void *ep, void *dev);
    int doca_comm_channel_ep_set_device_rep(void *ep, void *rep);
    int doca_comm_channel_ep_set_max_msg_size(void *ep, uint16_t size);
    int doca_comm_channel_ep_set_send_queue_size(void *ep, uint16_t size);
    int doca_comm_channel_ep_set_recv_queue_size(void *ep, uint16_t size);
    int doca_comm_channel_ep_listen(void *ep, const char *name);
    int doca_comm_channel_ep_connect(void *ep, const char *name, void **peer);
    int doca_comm_channel_peer_addr_update_info(void *peer);
    int doca_comm_channel_ep_sendto(void *ep, const void *msg, size_t length, int flags, void *peer);
    int doca_comm_channel_ep_recvfrom(void *ep, void *msg, size_t *length, int flags, void **peer);
    int doca_comm_channel_ep_destroy(void *ep);
""")
AGAIN, IN_PROGRESS, ALL = 5, 13, 0
LIBRARY = libraries(capi) / "libdoca_comm_channel.so.2"


def check(code: int) -> None:
    if code:
        raise RuntimeError(f"code {code}")


class Script(End):
    """An endpoint and its peer, with one buffer for what comes."""

    def __init__(self, pci_addr: str) -> None:
        self.lib = ffi.dlopen(str(LIBRARY))
        self.dev = self.device(pci_addr)
        cell = ffi.new("void **")
        check(self.lib.doca_comm_channel_ep_create(cell))
        self.ep = cell[0]
        check(self.lib.doca_comm_channel_ep_set_device(self.ep, self.dev))
        check(self.lib.doca_comm_channel_ep_set_max_msg_size(self.ep, MAX_SIZE))
        check(self.lib.doca_comm_channel_ep_set_send_queue_size(self.ep, QUEUE_SIZE))
        check(self.lib.doca_comm_channel_ep_set_recv_queue_size(self.ep, QUEUE_SIZE))
        self.peer = ffi.new("void **")
        self.buffer = ffi.new("char[]", MAX_SIZE)
        self.length = ffi.new("size_t *")

    def device(self, pci_addr: str) -> Any:
        listed, count = ffi.new("void ***"), ffi.new("uint32_t *")
        equal, dev = ffi.new("uint8_t *"), ffi.new("void **")
        check(self.lib.doca_devinfo_create_list(listed, count))
        for info in listed[0][0 : count[0]]:
            check(self.lib.doca_devinfo_is_equal_pci_addr(info, pci_addr.encode(), equal))
            if equal[0]:
                check(self.lib.doca_dev_open(info, dev))
        check(self.lib.doca_devinfo_destroy_list(listed[0]))
        return dev[0]

    def representor(self) -> Any:
        listed, count, rep = ffi.new("void ***"), ffi.new("uint32_t *"), ffi.new("void **")
        check(self.lib.doca_devinfo_rep_create_list(self.dev, ALL, listed, count))
        check(self.lib.doca_dev_rep_open(listed[0][0], rep))
        check(self.lib.doca_devinfo_rep_destroy_list(listed[0]))
        return rep[0]

    def send(self, data: bytes) -> None:
        while self.lib.doca_comm_channel_ep_sendto(self.ep, data, len(data), 0, self.peer[0]) == AGAIN:
            pass

    def receive(self) -> bytes:
        while True:
            self.length[0] = MAX_SIZE
            code = self.lib.doca_comm_channel_ep_recvfrom(self.ep, self.buffer, self.length, 0, self.peer)
            if code == 0:
                return bytes(ffi.buffer(self.buffer, self.length[0]))

    def close(self) -> None:
        check(self.lib.doca_comm_channel_ep_destroy(self.ep))


def serve(folder: Path, ready: Callable[[], None]) -> End:
    end = Script("03:00.0")
    check(end.lib.doca_comm_channel_ep_set_device_rep(end.ep, end.representor()))
    check(end.lib.doca_comm_channel_ep_listen(end.ep, b"bench"))
    ready()
    end.receive()  # a service learns its peer from the first message
    return end


def connect(folder: Path) -> End:
    end = Script("b1:00.0")
    check(end.lib.doca_comm_channel_ep_connect(end.ep, b"bench", end.peer))
    while (code := end.lib.doca_comm_channel_peer_addr_update_info(end.peer[0])) == IN_PROGRESS:
        pass
    check(code)
    end.send(b"hello")
    return end
