# count_words.py - top to bottom, like the shell script it replaced
# host side: send the lines of a text, print the table that the DPU made of it
import os
import sys
import time
from doca_comm_channel import *

TEXT = """the quick brown fox
jumps over the lazy dog
the dog sleeps
"""
SERVICE = os.environ.get("WORDS_SERVICE", "words")
DEVICE = os.environ.get("WORDS_DEVICE", "b1:00.0")
verbose = "-v" in sys.argv

# find the device
rc, infos, n = doca_devinfo_create_list()
if rc != DOCA_SUCCESS:
    print("no devices:", doca_error_get_name(rc))
    sys.exit(1)
dev = None
for i in range(n):
    rc, same = doca_devinfo_is_equal_pci_addr(infos[i], DEVICE)
    if rc == DOCA_SUCCESS and same:
        rc, dev = doca_dev_open(infos[i])
        break
doca_devinfo_destroy_list(infos)
if dev is None:
    print("no", DEVICE)
    sys.exit(1)

# endpoint
rc, ep = doca_comm_channel_ep_create()
if rc == DOCA_SUCCESS:
    rc = doca_comm_channel_ep_set_device(ep, dev)
if rc == DOCA_SUCCESS:
    rc = doca_comm_channel_ep_set_max_msg_size(ep, 256)
if rc == DOCA_SUCCESS:
    rc = doca_comm_channel_ep_set_send_queue_size(ep, 32)
if rc == DOCA_SUCCESS:
    rc = doca_comm_channel_ep_set_recv_queue_size(ep, 32)
if rc != DOCA_SUCCESS:
    print("set up:", doca_error_get_name(rc))
    sys.exit(1)
if verbose:
    print("messages", doca_comm_channel_ep_get_max_msg_size(ep)[1], "queue", doca_comm_channel_ep_get_send_queue_size(ep)[1])

# connect, and wait until the other side has seen it
rc, peer = doca_comm_channel_ep_connect(ep, SERVICE)
if rc != DOCA_SUCCESS:
    print("connect:", doca_error_get_name(rc))
    sys.exit(1)
tries = 0
while doca_comm_channel_peer_addr_update_info(peer) == DOCA_ERROR_CONNECTION_INPROGRESS:
    tries += 1
    if tries > 100000:
        print("nobody accepts")
        sys.exit(1)
    time.sleep(0.0001)
if verbose: print("connected")

# send
for line in TEXT.splitlines():
    line = line.encode()
    while True:
        rc = doca_comm_channel_ep_sendto(ep, line, len(line), DOCA_CC_MSG_FLAG_NONE, peer)
        if rc != DOCA_ERROR_AGAIN: break
        time.sleep(0.0001)
    if rc:
        print("send:", doca_error_get_descr(rc)); sys.exit(1)
rc = doca_comm_channel_ep_sendto(ep, b"", 0, DOCA_CC_MSG_FLAG_NONE, peer)
if verbose: print("empty line:", doca_error_get_name(rc))
rc = doca_comm_channel_ep_sendto(ep, b".", 1, DOCA_CC_MSG_FLAG_NONE, peer)

# receive: the number of rows, then the rows
table = {}
rows = None
deadline = time.time() + 60
while rows is None or len(table) < rows:
    rc, data, size, who = doca_comm_channel_ep_recvfrom(ep, 256, DOCA_CC_MSG_FLAG_NONE)
    if rc == DOCA_ERROR_AGAIN:
        if time.time() > deadline:
            print("no answer")
            sys.exit(1)
        time.sleep(0.0001)
        continue
    if rc != DOCA_SUCCESS:
        print("receive:", doca_error_get_name(rc))
        sys.exit(1)
    text = data[:size].decode()
    if rows is None:
        rows = int(text)
    else:
        word, _, count = text.partition("\t")
        table[word] = int(count)
for word in sorted(table, key=lambda word: (-table[word], word)):
    print("%3d %s" % (table[word], word))

# clean up
status = 0
rc = doca_comm_channel_ep_disconnect(ep, peer)
if rc: status = 1; print("disconnect:", doca_error_get_name(rc))
rc = doca_comm_channel_ep_disconnect(ep, peer)
print("again:", doca_error_get_name(rc))
rc = doca_comm_channel_ep_destroy(ep)
if rc: status = 1; print("destroy:", doca_error_get_name(rc))
del ep, peer
rc = doca_dev_close(dev)
if rc: status = 1; print("close:", doca_error_get_name(rc))
sys.exit(status)
