"""Receive one file: a leading count in network order, its segments, then answer with a status."""
import hashlib
import struct
import sys
import time

import doca_comm_channel as dcc

SEGMENT = 1024
LIMIT = 128


def poll(ep, wanted, timeout_s=60):
    turns = int(timeout_s * 1e6 / 10)
    while turns:
        rc, data, size, peer = dcc.doca_comm_channel_ep_recvfrom(ep, wanted, dcc.DOCA_CC_MSG_FLAG_NONE)
        if rc == dcc.DOCA_ERROR_AGAIN:
            time.sleep(1e-5)
            turns -= 1
            continue
        if rc:
            print("receive:", dcc.doca_error_get_name(rc), "needs", size)
            return rc, b"", None
        return rc, data[:size], peer
    return dcc.DOCA_ERROR_TIME_OUT, b"", None


def make_endpoint():
    dev = dcc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    rc, ep = dcc.doca_comm_channel_ep_create()
    for setter, value in (
        (dcc.doca_comm_channel_ep_set_device, dev),
        (dcc.doca_comm_channel_ep_set_device_rep, rep),
        (dcc.doca_comm_channel_ep_set_max_msg_size, SEGMENT),
        (dcc.doca_comm_channel_ep_set_recv_queue_size, 8),
    ):
        rc = setter(ep, value) or rc
    rc = rc or dcc.doca_comm_channel_ep_listen(ep, "file_send")
    if rc != dcc.DOCA_SUCCESS:
        sys.exit(dcc.doca_error_get_name(rc))
    return dev, rep, ep


def receive_file(ep):
    rc, head, peer = poll(ep, 4)
    if rc != dcc.DOCA_SUCCESS:
        return rc, None, None
    (count,) = struct.unpack("!I", head)
    print("expecting", count, "segments")
    if count > LIMIT:
        return dcc.DOCA_ERROR_NO_MEMORY, None, peer
    buffer = bytearray()
    for number in range(count):
        rc, segment, peer = poll(ep, SEGMENT)
        if rc != dcc.DOCA_SUCCESS:
            return rc, None, peer
        buffer += segment
    return dcc.DOCA_SUCCESS, bytes(buffer), peer


def main():
    dev, rep, ep = make_endpoint()
    print("listening for a file")
    status, data, peer = receive_file(ep)
    if data is not None:
        print("received", len(data), "bytes", hashlib.sha1(data).hexdigest()[:8])
    if peer is not None:
        answer = struct.pack("!I", status)
        print("status", dcc.doca_error_get_name(status))
        dcc.doca_comm_channel_ep_sendto(ep, answer, len(answer), dcc.DOCA_CC_MSG_FLAG_NONE, peer)
        rc, _, _ = poll(ep, SEGMENT)
        print("finish", dcc.doca_error_get_name(rc))
        dcc.doca_comm_channel_ep_disconnect(ep, peer)
    dcc.doca_comm_channel_ep_destroy(ep)
    rep.close()
    dev.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
