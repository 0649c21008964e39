import time
from ctypes import byref, c_size_t, c_void_p, create_string_buffer

from ._c import core, lib
from .devices import open_device, open_representor
from .errors import Refused, check

AGAIN, INPROGRESS = 5, 13


class Link:
    """One end; the peer is whoever connected, or spoke, last."""

    def __init__(self, address, rep=None, size=1024):
        self.device, self.rep = open_device(address), None
        self.ep, self.peer = c_void_p(), None
        self.buffer, self.length = create_string_buffer(size), c_size_t()
        check(lib.doca_comm_channel_ep_create(byref(self.ep)))
        check(lib.doca_comm_channel_ep_set_device(self.ep, self.device))
        check(lib.doca_comm_channel_ep_set_max_msg_size(self.ep, size))
        check(lib.doca_comm_channel_ep_set_send_queue_size(self.ep, 10))
        check(lib.doca_comm_channel_ep_set_recv_queue_size(self.ep, 10))
        if rep:
            self.rep = open_representor(self.device, rep)
            check(lib.doca_comm_channel_ep_set_device_rep(self.ep, self.rep))

    def listen(self, name):
        check(lib.doca_comm_channel_ep_listen(self.ep, name.encode()))
        return self

    def connect(self, name):
        peer = c_void_p()
        check(lib.doca_comm_channel_ep_connect(self.ep, name.encode(), byref(peer)))
        while True:
            code = lib.doca_comm_channel_peer_addr_update_info(peer)
            if code != INPROGRESS:
                check(code)
                self.peer = peer
                return self
            time.sleep(0.0001)

    def send(self, *words):
        for word in words:
            self._retry(lambda word=word: lib.doca_comm_channel_ep_sendto(self.ep, word, len(word), 0, self.peer))

    def receive(self):
        peer = c_void_p()

        def once():
            self.length.value = len(self.buffer)
            return lib.doca_comm_channel_ep_recvfrom(self.ep, self.buffer, byref(self.length), 0, byref(peer))

        self._retry(once)
        self.peer = peer
        return self.buffer[: self.length.value]

    def _retry(self, attempt):
        while (code := attempt()) == AGAIN:
            time.sleep(0.0001)
        check(code)

    def close(self):
        try:
            check(lib.doca_comm_channel_ep_disconnect(self.ep, self.peer))
        except Refused as refused:
            print("disconnect:", refused)
        check(lib.doca_comm_channel_ep_destroy(self.ep))
        if self.rep is not None:
            check(core.doca_dev_rep_close(self.rep))
        check(core.doca_dev_close(self.device))
