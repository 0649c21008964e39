"""Heat on a bar, left half: the first cell is held at 64; swap one border cell with the DPU in every step."""
import struct
import sys
import time

import doca_comm_channel as cc

NAME = "halo"
STEPS = 4
BORDER = struct.Struct("!Iq")
HOT = 64

dev = cc.open_device("b1:00.0")
ep = cc.Endpoint()
peer = None
cells = [HOT, 0, 0, 0]
deadline = time.time() + 60


def connect():
    global peer
    ep.set_device(dev)
    ep.set_max_msg_size(64)
    ep.set_send_queue_size(16)
    ep.set_recv_queue_size(16)
    peer = ep.connect(NAME)
    while time.time() < deadline:
        try:
            peer.update_info()
            return
        except cc.ConnectionInprogress:
            time.sleep(1e-5)
    print("never connected")
    sys.exit(3)


def swap(step, value):
    sent = False
    while time.time() < deadline:
        try:
            if not sent:
                ep.sendto(BORDER.pack(step, value), peer)
                sent = True
            msg, _ = ep.recvfrom(64)
        except cc.Again:
            continue
        number, theirs = BORDER.unpack(msg)
        assert number == step
        return theirs
    print("no border of step", step)
    sys.exit(3)


connect()
for step in range(STEPS):
    right = swap(step, cells[-1])
    padded = [HOT] + cells + [right]
    cells = [HOT] + [(padded[i - 1] + padded[i + 1]) // 2 for i in range(2, len(padded) - 1)]
    print("step", step, "right", right, "cells", cells)
ep.sendto(BORDER.pack(STEPS, sum(cells)), peer)
while True:
    peer.update_info()
    if peer.get_send_in_flight_messages() == 0 or time.time() > deadline:
        break
print("sent", peer.get_send_messages(), "borders of", peer.get_send_bytes() // peer.get_send_messages(), "bytes")
ep.disconnect(peer)
ep.destroy()
dev.close()
