"""Sends three words and waits for the farewell; the flat calls, each in a closure."""
import atexit
import sys
import time

from doca_comm_channel import *

closers = []


def cleanup():
    while closers:
        label, close = closers.pop()
        print(label, doca_error_get_name(close()))


def main():
    atexit.register(cleanup)
    dev = open_device("b1:00.0")
    closers.append(("close", lambda: doca_dev_close(dev)))
    rc, ep = doca_comm_channel_ep_create()
    closers.append(("destroy", lambda: doca_comm_channel_ep_destroy(ep)))
    if (rc := doca_comm_channel_ep_set_device(ep, dev)) != DOCA_SUCCESS:
        return rc
    rc, peer = doca_comm_channel_ep_connect(ep, "signal_cleanup")
    closers.append(("disconnect", lambda: doca_comm_channel_ep_disconnect(ep, peer)))
    if rc != DOCA_SUCCESS:
        return rc

    def poll(call, busy):
        for _ in range(500000):
            result = call()
            if (result[0] if isinstance(result, tuple) else result) != busy:
                return result
            time.sleep(1e-4)
        sys.exit("timeout")

    rc = poll(lambda: doca_comm_channel_peer_addr_update_info(peer), DOCA_ERROR_CONNECTION_INPROGRESS)
    for word in b"red", b"green", b"stop":
        rc = doca_comm_channel_ep_sendto(ep, word, len(word), DOCA_CC_MSG_FLAG_NONE, peer)
        rc, msg, *_ = poll(lambda: doca_comm_channel_ep_recvfrom(ep, 100, DOCA_CC_MSG_FLAG_NONE), DOCA_ERROR_AGAIN)
        print(msg.decode())
    return rc


if __name__ == "__main__":
    sys.exit(main())
