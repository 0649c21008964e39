"""Comes late, serves one connection at a time, counts the connections by their peers."""
import sys
import time

import doca_comm_channel as cc


def receive(ep, end):
    while time.time() < end:
        rc, data, _, peer = cc.doca_comm_channel_ep_recvfrom(ep, 4080, cc.DOCA_CC_MSG_FLAG_NONE)
        if rc == cc.DOCA_ERROR_CONNECTION_RESET:
            if peer:
                cc.doca_comm_channel_ep_disconnect(ep, peer)
        elif rc != cc.DOCA_ERROR_AGAIN:
            return rc, data, peer
        time.sleep(1e-4)
    return cc.DOCA_ERROR_TIME_OUT, None, None


def set_up(ep, dev, rep):
    for rc in (
        cc.doca_comm_channel_ep_set_device(ep, dev),
        cc.doca_comm_channel_ep_set_device_rep(ep, rep),
        cc.doca_comm_channel_ep_set_recv_queue_size(ep, 4),
    ):
        if rc != cc.DOCA_SUCCESS:
            return rc
    return cc.doca_comm_channel_ep_listen(ep, "late_service")


def main():
    dev = cc.open_device("03:00.0")
    rep = dev.open_representor("b1:00.0")
    _, ep = cc.doca_comm_channel_ep_create()
    rc = set_up(ep, dev, rep)
    print("up:", cc.doca_error_get_name(rc))
    peers = []
    while rc == cc.DOCA_SUCCESS and len(peers) < 3:
        rc, data, peer = receive(ep, time.time() + 60)
        if rc != cc.DOCA_SUCCESS:
            print(cc.doca_error_get_name(rc))
            break
        print(data.decode(), "of a new peer" if peer not in peers else "again")
        peers.append(peer)
        answer = data.replace(b"request", b"answer")
        rc = cc.doca_comm_channel_ep_sendto(ep, answer, len(answer), 0, peer)
    cc.doca_comm_channel_ep_destroy(ep)
    rep.close()
    dev.close()
    return rc


if __name__ == "__main__":
    sys.exit(main())
