"""`and` and `or` between calls, codes gathered by |= and sum, and a chain that must stop half-way."""
import sys
import time

import doca_comm_channel as cc


def up(peer):
    n = 0
    while (rc := cc.doca_comm_channel_peer_addr_update_info(peer)) == cc.DOCA_ERROR_CONNECTION_INPROGRESS and n < 100000:
        n += 1
        time.sleep(1e-4)
    return rc


def send(ep, peer, text):
    return cc.doca_comm_channel_ep_sendto(ep, text, len(text), cc.DOCA_CC_MSG_FLAG_NONE, peer)


def recv(ep, expected):
    n, rc = 0, cc.DOCA_ERROR_AGAIN
    while rc == cc.DOCA_ERROR_AGAIN and n < 100000:
        rc, text, length, peer = cc.doca_comm_channel_ep_recvfrom(ep, 500, cc.DOCA_CC_MSG_FLAG_NONE)
        n += 1
        rc and time.sleep(1e-4)
    return rc or (cc.DOCA_SUCCESS if text == expected else cc.DOCA_ERROR_UNEXPECTED)


def echo(ep, peer, text):
    return send(ep, peer, text) or recv(ep, text)


def main():
    dev = cc.open_device("b1:00.0")
    rc, ep = cc.doca_comm_channel_ep_create()
    errors = rc
    errors |= cc.doca_comm_channel_ep_set_device(ep, dev)
    errors |= cc.doca_comm_channel_ep_set_max_msg_size(ep, 500)
    print("errors", errors)
    rc = cc.doca_comm_channel_ep_set_recv_queue_size(ep, 0) or cc.doca_comm_channel_ep_set_send_queue_size(ep, 0)
    print("no queue:", cc.doca_error_get_name(rc))
    rc, peer = cc.doca_comm_channel_ep_connect(ep, "or_chains")
    rc = rc or up(peer)
    print("connected" if rc == 0 else "refused")
    ok = rc == 0 and echo(ep, peer, b"one") == 0 and echo(ep, peer, b"") == 0
    print("echoes", ok)
    rc = echo(ep, peer, b"x" * 501) or echo(ep, peer, b"never sent")
    print("long:", cc.doca_error_get_name(rc))
    print("sum", sum(echo(ep, peer, text) for text in (b"a", b"bb", b"ccc")))
    rc = echo(ep, peer, b"fin")
    assert rc == cc.DOCA_SUCCESS, rc
    rc = cc.doca_comm_channel_ep_disconnect(ep, peer) or cc.doca_comm_channel_ep_destroy(ep) or cc.doca_dev_close(dev)
    return rc


if __name__ == "__main__":
    sys.exit(main())
