"""Round trips over the channel: `tool.py -l` on the DPU, `tool.py` on the host. Rates go to stderr."""
import getopt
import sys
import time

from doca_comm_channel import *

SIZES = 1, 64, 512, 4080
ROUNDS = 25
WAIT_NS = 60 * 10**9

is_server = False


def usage():
    print("usage: tool.py [-l]", file=sys.stderr)
    return 64


def ep_open(pci):
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        return rc, None, None
    dev = open_device(pci)
    rc = doca_comm_channel_ep_set_device(ep, dev)
    if rc == DOCA_SUCCESS:
        rc = doca_comm_channel_ep_set_max_msg_size(ep, max(SIZES))
    if rc == DOCA_SUCCESS:
        rc = doca_comm_channel_ep_set_send_queue_size(ep, 32)
    if rc == DOCA_SUCCESS:
        rc = doca_comm_channel_ep_set_recv_queue_size(ep, 32)
    return rc, ep, dev


def send_blocking(ep, peer, msg):
    start = time.monotonic_ns()
    rc = doca_comm_channel_ep_sendto(ep, msg, len(msg), DOCA_CC_MSG_FLAG_NONE, peer)
    while rc == DOCA_ERROR_AGAIN and time.monotonic_ns() - start < WAIT_NS:
        rc = doca_comm_channel_ep_sendto(ep, msg, len(msg), DOCA_CC_MSG_FLAG_NONE, peer)
    return rc


def recv_blocking(ep):
    start = time.monotonic_ns()
    rc, msg, msg_len, peer = doca_comm_channel_ep_recvfrom(ep, max(SIZES), DOCA_CC_MSG_FLAG_NONE)
    while rc == DOCA_ERROR_AGAIN and time.monotonic_ns() - start < WAIT_NS:
        rc, msg, msg_len, peer = doca_comm_channel_ep_recvfrom(ep, max(SIZES), DOCA_CC_MSG_FLAG_NONE)
    return rc, msg, peer


def run_server(ep):
    rc = doca_comm_channel_ep_listen(ep, "pingpong")
    if rc != DOCA_SUCCESS:
        return rc
    print("listening")
    total = 0
    while True:
        rc, msg, peer = recv_blocking(ep)
        if rc != DOCA_SUCCESS or msg == b"!":
            break
        total += len(msg)
        rc = send_blocking(ep, peer, msg)
        if rc != DOCA_SUCCESS:
            break
    print("bounced", total, "bytes")
    return rc


def run_client(ep):
    rc, peer = doca_comm_channel_ep_connect(ep, "pingpong")
    if rc != DOCA_SUCCESS:
        return rc
    start = time.monotonic_ns()
    rc = doca_comm_channel_peer_addr_update_info(peer)
    while rc == DOCA_ERROR_CONNECTION_INPROGRESS and time.monotonic_ns() - start < WAIT_NS:
        rc = doca_comm_channel_peer_addr_update_info(peer)
    if rc != DOCA_SUCCESS:
        return rc
    for size in SIZES:
        ball = b"." * size
        start = time.monotonic_ns()
        for _ in range(ROUNDS):
            rc = send_blocking(ep, peer, ball)
            if rc != DOCA_SUCCESS:
                return rc
            rc, back, _ = recv_blocking(ep)
            if rc != DOCA_SUCCESS:
                return rc
            assert back == ball
        took = time.monotonic_ns() - start
        print("%4d bytes: %d round trips" % (size, ROUNDS))
        print("%.1f us each" % (took / ROUNDS / 1e3), file=sys.stderr)
    rc = send_blocking(ep, peer, b"!")
    doca_comm_channel_peer_addr_update_info(peer)
    rc2, n = doca_comm_channel_peer_addr_get_recv_messages(peer)
    rc3, b = doca_comm_channel_peer_addr_get_recv_bytes(peer)
    print("received", n, "messages", b, "bytes", rc2 + rc3)
    return rc or doca_comm_channel_ep_disconnect(ep, peer)


def main():
    global is_server
    try:
        options, rest = getopt.getopt(sys.argv[1:], "l")
    except getopt.GetoptError:
        return usage()
    is_server = ("-l", "") in options
    rc, ep, dev = ep_open("03:00.0" if is_server else "b1:00.0")
    rep = None
    if rc == DOCA_SUCCESS and is_server:
        rep = dev.open_representor("b1:00.0")
        rc = doca_comm_channel_ep_set_device_rep(ep, rep)
    if rc == DOCA_SUCCESS:
        rc = run_server(ep) if is_server else run_client(ep)
    print("result", doca_error_get_name(rc))
    if ep is not None:
        doca_comm_channel_ep_destroy(ep)
    for opened in filter(None, (rep, dev)):
        opened.close()
    return 0 if rc == DOCA_SUCCESS else 1


if __name__ == "__main__":
    sys.exit(main())
