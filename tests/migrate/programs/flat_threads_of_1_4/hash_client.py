"""Sends twelve jobs, then collects the answers, which come in any order."""
import sys

import doca_comm_channel as cc


def main():
    rc, ep = cc.doca_comm_channel_ep_create(cc.doca_comm_channel_init_attr(msgsize=256, maxmsgs=64))
    if rc != cc.DOCA_SUCCESS:
        return rc
    rc, server = cc.doca_comm_channel_ep_connect(ep, "hashd")
    if rc != cc.DOCA_SUCCESS:
        print("connect:", rc)
        cc.doca_comm_channel_ep_destroy(ep)
        return rc
    for number in range(12):
        job = b"%d:%s" % (number, bytes([number]) * number)
        rc = cc.doca_comm_channel_ep_sendto(ep, job, len(job), 0, server)
        if rc != cc.DOCA_SUCCESS:
            print("sendto:", rc)
    answers = {}
    while len(answers) < 12:
        rc, data, size, peer = cc.doca_comm_channel_ep_recvfrom(ep, 256, 0)
        assert rc == cc.DOCA_SUCCESS
        number, text = data.decode().split(":")
        answers[int(number)] = text
    for number in sorted(answers)[:3]:
        print(number, answers[number])
    print(len(set(answers.values())), "different")
    big = bytes(257)
    print("too big:", cc.doca_comm_channel_ep_sendto(ep, big, len(big), 0, server) == cc.DOCA_ERROR_INVALID_VALUE)
    print("nobody:", cc.doca_comm_channel_ep_sendto(ep, b"x", 1, 0, None) == cc.DOCA_ERROR_NOT_CONNECTED)
    rc = cc.doca_comm_channel_ep_sendto(ep, b"quit", 4, 0, server)
    print("quit:", rc == cc.DOCA_SUCCESS)
    rc = cc.doca_comm_channel_ep_disconnect(ep, server)
    print("left:", rc == cc.DOCA_SUCCESS)
    return cc.doca_comm_channel_ep_destroy(ep)


if __name__ == "__main__":
    sys.exit(main())
