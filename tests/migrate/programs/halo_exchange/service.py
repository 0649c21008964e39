"""Heat on a bar, right half: swap one border cell with the host in every step."""
import struct
import sys
import time

import doca_comm_channel as cc

NAME = "halo"
STEPS = 4
BORDER = struct.Struct("!Iq")

dev = None
rep = None
ep = None
peer = None
cells = [0, 0, 0, 0]
deadline = time.time() + 60


def setup():
    global dev, rep, ep
    dev = cc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(rep)
    ep.set_max_msg_size(64)
    ep.set_send_queue_size(16)
    ep.set_recv_queue_size(16)
    ep.listen(NAME)
    print("listening as", NAME)


def recv_border(step):
    global peer
    while True:
        try:
            msg, peer = ep.recvfrom(64)
            break
        except cc.Again:
            if time.time() > deadline:
                print("no border of step", step)
                sys.exit(3)
            time.sleep(1e-5)
    number, value = BORDER.unpack(msg)
    assert number == step
    return value


def send_border(step, value):
    while True:
        try:
            ep.sendto(BORDER.pack(step, value), peer)
            return
        except cc.Again:
            if time.time() > deadline:
                sys.exit(3)


def relax(left):
    global cells
    padded = [left] + cells + [cells[-1]]
    cells = [(padded[i - 1] + padded[i + 1]) // 2 for i in range(1, len(padded) - 1)]


def teardown():
    global ep
    ep.disconnect(peer)
    ep.destroy()
    ep = None
    rep.close()
    dev.close()


setup()
for step in range(STEPS):
    left = recv_border(step)
    send_border(step, cells[0])
    relax(left)
    print("step", step, "left", left, "cells", cells)
peer.update_info()
print("borders in", peer.get_recv_messages(), "out", peer.get_send_messages())
final = recv_border(STEPS)
print("host's heat", final, "ours", sum(cells))
teardown()
