"""A link that numbers its messages and asks again for what is missing; its port can be replaced for tests."""
import struct
import time

from doca_comm_channel import (
    DOCA_CC_MSG_FLAG_NONE, DOCA_ERROR_AGAIN, DOCA_ERROR_CONNECTION_INPROGRESS, DOCA_ERROR_CONNECTION_RESET,
    DOCA_ERROR_INVALID_VALUE, DOCA_SUCCESS, doca_comm_channel_ep_connect, doca_comm_channel_ep_create,
    doca_comm_channel_ep_destroy, doca_comm_channel_ep_disconnect, doca_comm_channel_ep_get_max_msg_size,
    doca_comm_channel_ep_listen, doca_comm_channel_ep_recvfrom, doca_comm_channel_ep_sendto,
    doca_comm_channel_ep_set_device, doca_comm_channel_ep_set_device_rep, doca_comm_channel_ep_set_max_msg_size,
    doca_comm_channel_peer_addr_update_info, doca_error_get_name, open_device,
)

HEAD = struct.Struct("!I")


class LinkError(Exception):
    def __init__(self, what, code):
        super().__init__("%s: %s" % (what, doca_error_get_name(code)))
        self.code = code


class DocaPort:
    """The channel itself; FakePort of the tests has the same methods."""

    def __init__(self, ep, size):
        self.ep, self.size = ep, size

    def send(self, data, peer):
        return doca_comm_channel_ep_sendto(self.ep, data, len(data), DOCA_CC_MSG_FLAG_NONE, peer)

    def recv(self):
        return doca_comm_channel_ep_recvfrom(self.ep, self.size, DOCA_CC_MSG_FLAG_NONE)

    def state(self, peer):
        return doca_comm_channel_peer_addr_update_info(peer)

    def limit(self):
        return doca_comm_channel_ep_get_max_msg_size(self.ep)

    def close(self, peer=None):
        if peer is not None:
            rc = doca_comm_channel_ep_disconnect(self.ep, peer)
            if rc != DOCA_SUCCESS:
                return rc
        rc, self.ep = doca_comm_channel_ep_destroy(self.ep), None
        return rc


class Link:
    def __init__(self, port, peer=None, patience=2000, sleep=time.sleep):
        self.port, self.peer, self.patience, self.sleep = port, peer, patience, sleep
        self.sent = self.expected = 0
        self.tries = 0

    def _until_not(self, busy, call, *args):
        for self.tries in range(1, self.patience + 1):
            answer = call(*args)
            rc = answer[0] if isinstance(answer, tuple) else answer
            if rc != busy:
                return answer
            self.sleep(0.001)
        raise LinkError("patience", busy)

    def establish(self):
        rc = self._until_not(DOCA_ERROR_CONNECTION_INPROGRESS, self.port.state, self.peer)
        if rc != DOCA_SUCCESS:
            raise LinkError("establish", rc)

    def send(self, data):
        rc = self._until_not(DOCA_ERROR_AGAIN, self.port.send, HEAD.pack(self.sent) + data, self.peer)
        if rc != DOCA_SUCCESS:
            raise LinkError("send", rc)
        self.sent += 1

    def recv(self):
        rc, data, length, peer = self._until_not(DOCA_ERROR_AGAIN, self.port.recv)
        if rc == DOCA_ERROR_INVALID_VALUE:
            raise LinkError("a message of %d" % length, rc)
        if rc != DOCA_SUCCESS:
            raise LinkError("recv", rc)
        if self.peer is None:
            self.peer = peer
        (number,) = HEAD.unpack_from(data)
        if number != self.expected:
            raise ValueError("message %d is missing" % self.expected)
        self.expected += 1
        return data[HEAD.size:length]

    def room(self):
        rc, size = self.port.limit()
        return size - HEAD.size if rc == DOCA_SUCCESS else 0


def ports(name, size=128):
    """Both ends of a service, in this process, and the client's peer."""
    dpu, host = open_device("03:00.0"), open_device("b1:00.0")
    rc, service = doca_comm_channel_ep_create()
    assert rc == DOCA_SUCCESS
    rc, client = doca_comm_channel_ep_create()
    assert rc == DOCA_SUCCESS
    assert doca_comm_channel_ep_set_device(service, dpu) == DOCA_SUCCESS
    assert doca_comm_channel_ep_set_device_rep(service, dpu.open_representor("b1:00.0")) == DOCA_SUCCESS
    assert doca_comm_channel_ep_set_max_msg_size(service, size) == DOCA_SUCCESS
    assert doca_comm_channel_ep_set_device(client, host) == DOCA_SUCCESS
    assert doca_comm_channel_ep_set_max_msg_size(client, 2 * size) == DOCA_SUCCESS
    assert doca_comm_channel_ep_listen(service, name) == DOCA_SUCCESS
    rc, peer = doca_comm_channel_ep_connect(client, name)
    assert rc == DOCA_SUCCESS
    return DocaPort(service, size), DocaPort(client, 2 * size), peer
