"""r[0] and r[1], negative indices and slices of results; the handle stays in the tuple it came in."""
import sys
import time

from doca_comm_channel import *

dev = open_device("b1:00.0")
created = doca_comm_channel_ep_create()
assert not created[0]
if doca_comm_channel_ep_set_device(created[1], dev) != DOCA_SUCCESS:
    sys.exit("device")
connected = doca_comm_channel_ep_connect(created[1], "indexed")
if connected[0] == DOCA_SUCCESS:
    for _ in range(500000):
        r = doca_comm_channel_peer_addr_update_info(connected[1])
        if r != DOCA_ERROR_CONNECTION_INPROGRESS:
            break
        time.sleep(1e-4)
    print("update", r)
else:
    sys.exit("connect %d" % connected[0])


def exchange(text):
    sent = doca_comm_channel_ep_sendto(created[1], text, len(text), 0, connected[1])
    if sent:
        return (sent,)
    for _ in range(500000):
        r = doca_comm_channel_ep_recvfrom(created[1], 4080, 0)
        if r[0] != DOCA_ERROR_AGAIN:
            return r
        time.sleep(1e-4)
    return r


for text in (b"short", b"more than ten bytes", b"", b"-"):
    answer = exchange(text)
    print(answer[0], answer[1:-1], answer[-1] is connected[1])
prefix = b"only this|and not that"
r = doca_comm_channel_ep_sendto(created[1], prefix, prefix.index(b"|"), 0, None)
print("to nobody", doca_error_get_name(r))
print("leaving", doca_comm_channel_ep_disconnect(*created[1:], *connected[1:]), doca_comm_channel_ep_destroy(created[1]))
dev.close()
