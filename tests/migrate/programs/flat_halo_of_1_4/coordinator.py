#!/usr/bin/env python3
"""Rank 0 of a 1-D stencil: swaps the edges of two ranks that run on the host."""
import struct
import sys

from doca_comm_channel import *

NAME = "halo"
STEPS = 3
HALO = struct.Struct("<ccii")     # kind, rank, left edge, right edge
EDGE = struct.Struct("<ii")


def must(rc, what):
    if rc != DOCA_SUCCESS:
        sys.exit("rank 0: %s failed with %d" % (what, rc))


attr = doca_comm_channel_init_attr()
attr.msgsize = 64
attr.maxmsgs = 32
rc, ep = doca_comm_channel_ep_create(attr)
must(rc, "create")
must(doca_comm_channel_ep_listen(ep, NAME), "listen")
print("listening", flush=True)

totals = {}
for step in range(STEPS):
    edges, where = {}, {}
    while len(edges) < 2:
        rc, data, size, peer = doca_comm_channel_ep_recvfrom(ep, HALO.size, 0)
        must(rc, "recvfrom")
        kind, rank, left, right = HALO.unpack(data[:size])
        assert kind == b"h"
        edges[int(rank)] = left, right
        where[int(rank)] = peer
    print("step %d: rank 1 %r, rank 2 %r" % (step, edges[1], edges[2]))
    # the world ends left of rank 1 and right of rank 2
    for rank, halo in ((1, (0, edges[2][0])), (2, (edges[1][1], 0))):
        must(doca_comm_channel_ep_sendto(ep, EDGE.pack(*halo), EDGE.size, 0, where[rank]), "sendto")
while len(totals) < 2:
    rc, data, size, peer = doca_comm_channel_ep_recvfrom(ep, HALO.size, 0)
    must(rc, "recvfrom")
    kind, rank, total, _ = HALO.unpack(data[:size])
    totals[int(rank)] = total
    must(doca_comm_channel_ep_sendto(ep, b"done", 4, 0, peer), "sendto")
print("totals", totals[1], totals[2], "sum", sum(totals.values()))
must(doca_comm_channel_ep_destroy(ep), "destroy")
