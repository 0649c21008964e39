"""The client starts first and comes back until the service is there; backs off between tries."""
import random
import sys
import time

from doca_comm_channel import *

TRIES = 12
FIRST_S, LONGEST_S = 0.05, 1.5
lost = 0


def backoff():
    pause = FIRST_S
    while True:
        yield pause * random.uniform(0.9, 1.1)
        pause = min(pause * 2, LONGEST_S)


def connect(ep):
    """The peer, connected, or None after the last try."""
    complained = False
    for _, pause in zip(range(TRIES), backoff()):
        rc, peer = doca_comm_channel_ep_connect(ep, "late_service")
        if rc == DOCA_SUCCESS:
            while rc in (DOCA_SUCCESS, DOCA_ERROR_CONNECTION_INPROGRESS):
                rc = doca_comm_channel_peer_addr_update_info(peer)
                if rc == DOCA_SUCCESS:
                    return peer
                time.sleep(1e-4)
            doca_comm_channel_ep_disconnect(ep, peer)
        if not complained:
            print("waiting for the service:", doca_error_get_name(rc))
            complained = True
        time.sleep(pause)
    return None


def session(ep, peer, number):
    """One request on one connection; False when it was lost under way."""
    text = b"request %d" % number
    rc = DOCA_ERROR_AGAIN
    end = time.time() + 60
    while rc == DOCA_ERROR_AGAIN and time.time() < end:
        rc = doca_comm_channel_ep_sendto(ep, text, len(text), DOCA_CC_MSG_FLAG_NONE, peer)
    while rc == DOCA_SUCCESS and time.time() < end:
        rc, answer, length, who = doca_comm_channel_ep_recvfrom(ep, 4080, DOCA_CC_MSG_FLAG_NONE)
        if rc == DOCA_SUCCESS:
            print(answer[:length].decode())
            return True
        if rc == DOCA_ERROR_AGAIN:
            rc = DOCA_SUCCESS
            time.sleep(1e-4)
    print("lost:", doca_error_get_name(rc))
    return False


def main():
    with open_device("b1:00.0") as dev:
        rc, ep = doca_comm_channel_ep_create()
        rc = doca_comm_channel_ep_set_device(ep, dev) if rc == DOCA_SUCCESS else rc
        if rc != DOCA_SUCCESS:
            return 1
        done = 0
        for number in range(3):
            peer = connect(ep)
            if peer is None:
                print("gave up")
                break
            done += session(ep, peer, number)
            rc = doca_comm_channel_ep_disconnect(ep, peer)
            print("disconnected", doca_error_get_name(rc))
        doca_comm_channel_ep_destroy(ep)
    print("sessions", done)
    return 0 if done == 3 else 1


if __name__ == "__main__":
    sys.exit(main())
