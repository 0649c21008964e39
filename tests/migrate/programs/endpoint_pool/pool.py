"""A pool of connected endpoints, borrowed by threads; an endpoint is used by one thread at a time."""
import contextlib
import queue
import threading
import time

from doca_comm_channel import (
    DOCA_CC_MSG_FLAG_NONE,
    DOCA_ERROR_AGAIN,
    DOCA_ERROR_CONNECTION_INPROGRESS,
    DOCA_SUCCESS,
    doca_comm_channel_ep_connect,
    doca_comm_channel_ep_create,
    doca_comm_channel_ep_destroy,
    doca_comm_channel_ep_disconnect,
    doca_comm_channel_ep_recvfrom,
    doca_comm_channel_ep_sendto,
    doca_comm_channel_ep_set_device,
    doca_comm_channel_ep_set_max_msg_size,
    doca_comm_channel_peer_addr_get_send_messages,
    doca_comm_channel_peer_addr_update_info,
    doca_error_get_name,
)


class PoolError(RuntimeError):
    def __init__(self, step, rc):
        RuntimeError.__init__(self, "%s: %s" % (step, doca_error_get_name(rc)))
        self.rc = rc


def expect(step, rc):
    if rc != DOCA_SUCCESS:
        raise PoolError(step, rc)


class EndpointPool:
    """`with pool.borrow() as (ep, peer)`: the oldest idle endpoint, connected."""

    def __init__(self, device, service, size, msg_size=256):
        self.device = device
        self.service = service
        self.msg_size = msg_size
        self.idle = queue.Queue()
        self.all = []
        self.lock = threading.Lock()
        self.borrowed = 0
        for _ in range(size):
            pair = self._connect()
            self.all.append(pair)
            self.idle.put(pair)

    def _connect(self):
        rc, ep = doca_comm_channel_ep_create()
        expect("create", rc)
        try:
            expect("set_device", doca_comm_channel_ep_set_device(ep, self.device))
            expect("set_max_msg_size", doca_comm_channel_ep_set_max_msg_size(ep, self.msg_size))
            rc, peer = doca_comm_channel_ep_connect(ep, self.service)
            expect("connect", rc)
            self._wait("handshake", DOCA_ERROR_CONNECTION_INPROGRESS,
                       lambda: doca_comm_channel_peer_addr_update_info(peer))
        except PoolError:
            doca_comm_channel_ep_destroy(ep)
            raise
        return ep, peer

    @staticmethod
    def _wait(step, busy, call, seconds=60):
        end = time.monotonic() + seconds
        rc = busy
        while rc == busy and time.monotonic() < end:
            rc = call()
        expect(step, rc)

    @contextlib.contextmanager
    def borrow(self, timeout=60):
        pair = self.idle.get(timeout=timeout)
        with self.lock:
            self.borrowed += 1
        try:
            yield pair
        finally:
            self.idle.put(pair)

    def call(self, request):
        """One request, one answer, on whichever endpoint is idle."""
        with self.borrow() as (ep, peer):
            self._wait("send", DOCA_ERROR_AGAIN,
                       lambda: doca_comm_channel_ep_sendto(ep, request, len(request), DOCA_CC_MSG_FLAG_NONE, peer))
            answer = []

            def receive():
                rc, msg, size, _ = doca_comm_channel_ep_recvfrom(ep, self.msg_size, DOCA_CC_MSG_FLAG_NONE)
                if rc == DOCA_SUCCESS:
                    answer.append(msg[:size])
                return rc

            self._wait("receive", DOCA_ERROR_AGAIN, receive)
            return answer[0]

    def sent(self):
        total = 0
        for _, peer in self.all:
            doca_comm_channel_peer_addr_update_info(peer)
            rc, n = doca_comm_channel_peer_addr_get_send_messages(peer)
            total += n
        return total

    def close(self):
        codes = []
        while not self.idle.empty():
            ep, peer = self.idle.get_nowait()
            codes.append(doca_comm_channel_ep_disconnect(ep, peer))
            codes.append(doca_comm_channel_ep_destroy(ep))
        return codes
