#!/usr/bin/env python3
"""One rank of the stencil: python rank.py RANK."""
import struct
import sys

from doca_comm_channel import *

STEPS = 3


def main(rank):
    cells = [10 * rank + i for i in range(4)]
    attr = doca_comm_channel_init_attr(msgsize=64, maxmsgs=32)
    rc, ep = doca_comm_channel_ep_create(attr)
    assert rc == DOCA_SUCCESS, rc
    rc, root = doca_comm_channel_ep_connect(ep, "halo")
    if rc != DOCA_SUCCESS:
        print("rank", rank, "cannot connect:", rc)
        return 1
    me = str(rank).encode()
    for _ in range(STEPS):
        message = struct.pack("<ccii", b"h", me, cells[0], cells[-1])
        assert doca_comm_channel_ep_sendto(ep, message, len(message), 0, root) == DOCA_SUCCESS
        rc, data, size, _peer = doca_comm_channel_ep_recvfrom(ep, 64, 0)
        assert rc == DOCA_SUCCESS and size == 8
        left, right = struct.unpack("<ii", data)
        padded = [left, *cells, right]
        cells = [padded[i - 1] + padded[i] + padded[i + 1] for i in range(1, 5)]
    print("rank", rank, cells)
    message = struct.pack("<ccii", b"t", me, sum(cells), 0)
    assert doca_comm_channel_ep_sendto(ep, message, len(message), 0, root) == DOCA_SUCCESS
    rc, data, size, _peer = doca_comm_channel_ep_recvfrom(ep, 64, 0)
    print("rank", rank, data.decode(), size)
    rc = doca_comm_channel_ep_disconnect(ep, root)
    print("disconnect", int(rc), "again", doca_comm_channel_ep_disconnect(ep, root) == DOCA_ERROR_NOT_CONNECTED)
    return doca_comm_channel_ep_destroy(ep)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
