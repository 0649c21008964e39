"""Send a file that is made up here: count, segments, then wait for the status."""
import struct
import sys
import time

from doca_comm_channel import *

SEGMENT = 1024


def wait_for(call, busy, *args):
    """Call until the code is another than `busy`; returns what the call returned last."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        result = call(*args)
        rc = result[0] if type(result) is tuple else result
        if rc != busy:
            return result
        time.sleep(1e-5)
    raise TimeoutError(call.__name__)


def main():
    data = bytes(range(256)) * 30 + b"tail"
    segments = [data[i:i + SEGMENT] for i in range(0, len(data), SEGMENT)]

    dev = open_device("b1:00.0")
    rc, ep = doca_comm_channel_ep_create()
    rc |= doca_comm_channel_ep_set_device(ep, dev)
    rc |= doca_comm_channel_ep_set_max_msg_size(ep, SEGMENT)
    if rc:
        return rc
    rc, peer = doca_comm_channel_ep_connect(ep, "file_send")
    if rc:
        print("connect", doca_error_get_name(rc))
        return rc

    def put(piece):
        return doca_comm_channel_ep_sendto(ep, piece, len(piece), 0, peer)

    def get():
        return doca_comm_channel_ep_recvfrom(ep, SEGMENT, 0)

    try:
        if wait_for(doca_comm_channel_peer_addr_update_info, DOCA_ERROR_CONNECTION_INPROGRESS, peer):
            print("refused")
            return 1
        wait_for(put, DOCA_ERROR_AGAIN, struct.pack("!I", len(segments)))
        for segment in segments:
            rc = wait_for(put, DOCA_ERROR_AGAIN, segment)
            if rc != DOCA_SUCCESS:
                print("segment", doca_error_get_name(rc))
                return rc
        rc, answer, length, _ = wait_for(get, DOCA_ERROR_AGAIN)
        assert rc == DOCA_SUCCESS and length == 4, (rc, length)
        (status,) = struct.unpack("!I", answer)
        print("status", doca_error_get_name(status))
        doca_comm_channel_peer_addr_update_info(peer)
        print("messages", doca_comm_channel_peer_addr_get_send_messages(peer)[1],
              "bytes", doca_comm_channel_peer_addr_get_send_bytes(peer)[1])
        wait_for(put, DOCA_ERROR_AGAIN, b"finish")
        return status
    finally:
        doca_comm_channel_ep_disconnect(ep, peer)
        doca_comm_channel_ep_destroy(ep)
        dev.close()


sys.exit(main())
