"""From-imports with other names, a fallback, and the star in a file of its own."""
import sys
import time

try:
    from doca_comm_channel import doca_comm_channel_ep_sendto as cc_send, doca_comm_channel_ep_recvfrom as cc_recv
    from doca_comm_channel import (
        doca_comm_channel_ep_create as cc_new,          # no arguments
        doca_comm_channel_ep_connect as cc_connect,
        doca_comm_channel_ep_disconnect as cc_leave,
        doca_comm_channel_ep_destroy as cc_free,        # last
        DOCA_SUCCESS as OK, DOCA_ERROR_AGAIN as AGAIN,
    )
except ImportError:
    sys.exit("doca_comm_channel is not installed")

from steps import prepare, wait_connected, why

snd = lambda ep, text, peer: cc_send(ep, text, len(text), 0, peer)


def rcv(ep, tries=100000):
    for _ in range(tries):
        rc, text, length, _peer = cc_recv(ep, 4080, 0)
        if rc != AGAIN:
            return rc, text
        time.sleep(1e-4)
    return AGAIN, None


rc, ep = cc_new()
if rc == OK:
    rc, dev = prepare(ep)
if rc == OK:
    rc, peer = cc_connect(ep, "import_styles")
if rc == OK:
    rc = wait_connected(peer)
print("connected:", why(rc))
for text in (b"import this", b"from that", b"star of all"):
    if rc != OK:
        break
    rc = snd(ep, text, peer)
    if rc == OK:
        rc, answer = rcv(ep)
        print(answer.decode())
snd(ep, b"over", peer)
print("left:", why(cc_leave(ep, peer)), "freed:", why(cc_free(ep)))
dev.close()
sys.exit(rc)
