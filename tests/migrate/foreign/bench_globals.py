#!/usr/bin/env python
# quick and dirty ping-pong, globals all over
import sys, time
from doca_comm_channel import *

dev = rep = ep = peer = None
N = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
msg = b"x" * 64

def die(s, r):
    print(s, r, doca_error_get_descr(r)); sys.exit(r)

def setup():
    global dev, ep, peer
    r, l, n = doca_devinfo_create_list()
    if r: die("list", r)
    for d in l:
        r, e = doca_devinfo_is_equal_pci_addr(d, "b1:00.0")
        if e: break
    r, dev = doca_dev_open(d)
    if r: die("open", r)
    r, ep = doca_comm_channel_ep_create()
    if r: die("create", r)
    r = doca_comm_channel_ep_set_device(ep, dev)
    if r: die("dev", r)
    r = doca_comm_channel_ep_set_max_msg_size(ep, 4080)
    if r: die("size", r)
    r, peer = doca_comm_channel_ep_connect(ep, "pp")
    if r: die("connect", r)
    while doca_comm_channel_peer_addr_update_info(peer) == 13: pass

def ping():
    while True:
        r = doca_comm_channel_ep_sendto(ep, msg, 64, 0, peer)
        if r == 0: break
        if r != 5: die("send", r)
    while True:
        r, m, l, p = doca_comm_channel_ep_recvfrom(ep, 64, 0)
        if r == 0: return m
        if r != DOCA_ERROR_AGAIN: die("recv", r)

setup()
t = time.time()
for i in range(N): ping()
print("%.1f us" % ((time.time() - t) / N * 1e6))
doca_comm_channel_ep_disconnect(ep, peer); doca_comm_channel_ep_destroy(ep); doca_dev_close(dev)
