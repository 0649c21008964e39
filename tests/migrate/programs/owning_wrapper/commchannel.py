"""The C++ wrapper in Python: an address that disconnects when it dies, setters that only complain, a stop flag."""
import sys
import threading
import time

import doca_comm_channel as api

OK = api.DOCA_SUCCESS


def complain(what, rc):
    print("warning: %s: %s" % (what, api.doca_error_get_name(rc)), file=sys.stdout)


class Address:
    def __init__(self, endpoint, handle):
        self._endpoint = endpoint
        self._handle = handle

    @property
    def handle(self):
        return self._handle

    def is_connected(self):
        return api.doca_comm_channel_peer_addr_update_info(self._handle) == OK

    def release(self):
        """Give the handle to somebody else, who then disconnects."""
        handle, self._handle = self._handle, None
        return handle

    def __del__(self):
        if self._handle is not None:
            rc = api.doca_comm_channel_ep_disconnect(self._endpoint, self._handle)
            print("address released", api.doca_error_get_name(rc))


class CommChannel:
    _SETTERS = {
        "max_msg_size": "set_max_msg_size",
        "sndq_size": "set_sndq_size",
        "rcvq_size": "set_rcvq_size",
    }

    def __init__(self, pci, rep=None, **sizes):
        self.stop = threading.Event()
        self._rep = None
        self._dev = api.open_device(pci)
        rc, self._ep = api.doca_comm_channel_ep_create()
        if rc != OK:
            raise RuntimeError("create")
        self._try("device", api.doca_comm_channel_ep_set_device, self._dev)
        if rep is not None:
            self._rep = self._dev.open_representor(rep)
            self._try("representor", api.doca_comm_channel_ep_set_device_rep, self._rep)
        for size, value in sizes.items():
            getattr(self, self._SETTERS[size])(value)

    def _try(self, what, call, value):
        rc = call(self._ep, value)
        if rc != OK:
            complain(what, rc)

    def set_max_msg_size(self, value):
        self._try("max_msg_size", api.doca_comm_channel_ep_set_max_msg_size, value)

    def set_sndq_size(self, value):
        self._try("send queue", api.doca_comm_channel_ep_set_send_queue_size, value)

    def set_rcvq_size(self, value):
        self._try("receive queue", api.doca_comm_channel_ep_set_recv_queue_size, value)

    def listen(self, name):
        return api.doca_comm_channel_ep_listen(self._ep, name)

    def connect(self, name):
        rc, handle = api.doca_comm_channel_ep_connect(self._ep, name)
        return Address(self._ep, handle) if rc == OK else None

    def send(self, text, address):
        rc = api.DOCA_ERROR_AGAIN
        while rc == api.DOCA_ERROR_AGAIN and not self.stop.is_set():
            rc = api.doca_comm_channel_ep_sendto(self._ep, text, len(text), api.DOCA_CC_MSG_FLAG_NONE, address.handle)
        return rc

    def recv_async(self, size=200):
        """The raw code, with what came."""
        return api.doca_comm_channel_ep_recvfrom(self._ep, size, api.DOCA_CC_MSG_FLAG_NONE)

    def recv(self, size=200):
        while not self.stop.is_set():
            rc, text, length, handle = self.recv_async(size)
            if rc != api.DOCA_ERROR_AGAIN:
                return rc, text, handle
            time.sleep(1e-4)
        return api.DOCA_ERROR_AGAIN, None, None

    def close(self):
        rc = api.doca_comm_channel_ep_destroy(self._ep)
        if self._rep is not None:
            self._rep.close()
        self._dev.close()
        return rc
