# The transfer's messages, and calls that wait. Both ends use it.
import time
import zlib

import doca_comm_channel as cc

CHUNK = 1000
SIZE = CHUNK + 24
OFFER, PIECE_KIND, ACCEPT, REJECT, DONE, RESEND, END = range(1, 8)


class TransferError(Exception):
    pass


def call(what, function, *args, limit_s=60.0):
    """Repeat a call while it is answered AGAIN; its outputs."""
    deadline = time.monotonic() + limit_s
    while True:
        result = function(*args)
        rc, *outputs = result if isinstance(result, tuple) else (result,)
        if rc == cc.DOCA_SUCCESS:
            return outputs
        if rc not in (cc.DOCA_ERROR_AGAIN, cc.DOCA_ERROR_CONNECTION_INPROGRESS):
            raise TransferError("%s: %s" % (what, cc.doca_error_get_name(rc)))
        if time.monotonic() > deadline:
            raise TransferError("%s: timed out" % what)
        time.sleep(2e-5)


def send(ep, peer, kind, head=b"", body=b""):
    message = bytes([kind]) + head + body
    call("send", cc.doca_comm_channel_ep_sendto, ep, message, len(message), cc.DOCA_CC_MSG_FLAG_NONE, peer)


def receive(ep):
    """Kind, the rest, peer."""
    message, length, peer = call("receive", cc.doca_comm_channel_ep_recvfrom, ep, SIZE, cc.DOCA_CC_MSG_FLAG_NONE)
    return message[0], memoryview(message)[1:length], peer


def pieces(data):
    for number, start in enumerate(range(0, len(data), CHUNK)):
        yield number, data[start:start + CHUNK]


def checksum(data, so_far=0):
    return zlib.crc32(data, so_far) & 0xFFFFFFFF


def sized(ep):
    """Room for a piece and its head, and queues that hold a few."""
    for what, setter, value in (
        ("size", cc.doca_comm_channel_ep_set_max_msg_size, SIZE),
        ("send queue", cc.doca_comm_channel_ep_set_send_queue_size, 4),
        ("receive queue", cc.doca_comm_channel_ep_set_recv_queue_size, 4),
    ):
        call(what, setter, ep, value)
