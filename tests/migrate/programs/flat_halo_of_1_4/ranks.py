#!/usr/bin/env python3
"""The two host ranks of the stencil, in one process: each has an endpoint of its own."""
import struct
import sys

from doca_comm_channel import *

STEPS = 3


class Rank:
    def __init__(self, number):
        self.number = number
        self.cells = [10 * number + i for i in range(4)]
        attr = doca_comm_channel_init_attr(msgsize=64, maxmsgs=32)
        rc, self.ep = doca_comm_channel_ep_create(attr)
        assert rc == DOCA_SUCCESS, rc
        rc, self.root = doca_comm_channel_ep_connect(self.ep, "halo")
        if rc != DOCA_SUCCESS:
            sys.exit("rank %d cannot connect: %d" % (number, rc))

    def send(self, kind, *numbers):
        message = struct.pack("<ccii", kind, b"%d" % self.number, *numbers)
        assert doca_comm_channel_ep_sendto(self.ep, message, len(message), 0, self.root) == DOCA_SUCCESS

    def receive(self):
        rc, data, size, _peer = doca_comm_channel_ep_recvfrom(self.ep, 64, 0)
        assert rc == DOCA_SUCCESS, rc
        return data[:size]

    def step(self):
        left, right = struct.unpack("<ii", self.receive())
        padded = [left, *self.cells, right]
        self.cells = [padded[i - 1] + padded[i] + padded[i + 1] for i in range(1, 5)]

    def leave(self):
        rc = doca_comm_channel_ep_disconnect(self.ep, self.root)
        again = doca_comm_channel_ep_disconnect(self.ep, self.root)
        print("disconnect", int(rc), "again", again == DOCA_ERROR_NOT_CONNECTED)
        assert doca_comm_channel_ep_destroy(self.ep) == DOCA_SUCCESS


ranks = [Rank(1), Rank(2)]
for _ in range(STEPS):
    for rank in ranks:
        rank.send(b"h", rank.cells[0], rank.cells[-1])
    for rank in ranks:
        rank.step()
for rank in ranks:
    print("rank", rank.number, rank.cells)
    rank.send(b"t", sum(rank.cells), 0)
for rank in ranks:
    print("rank", rank.number, rank.receive().decode())
for rank in ranks:
    rank.leave()
