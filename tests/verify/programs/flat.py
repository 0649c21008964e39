"""A copy of a text over the channel, both ends in one process, in C names: lengths, codes and their handling."""
import sys
import time

from doca_comm_channel import *

TEXT = b"".join(b"%d bottles on the wall. " % n for n in range(12))
errors = 0


def check(what, rc):
    global errors
    if rc != DOCA_SUCCESS:
        errors += 1
        print(what, doca_error_get_name(rc))
    return rc == DOCA_SUCCESS


def endpoint(dev, rep=None):
    rc, ep = doca_comm_channel_ep_create()
    rc = doca_comm_channel_ep_set_device(ep, dev)
    if rep is not None:
        rc = doca_comm_channel_ep_set_device_rep(ep, rep)
    check("size", doca_comm_channel_ep_set_max_msg_size(ep, 128))
    check("send queue", doca_comm_channel_ep_set_send_queue_size(ep, 16))
    check("receive queue", doca_comm_channel_ep_set_recv_queue_size(ep, 48))
    return ep


def send(ep, data, length, peer):
    rc = doca_comm_channel_ep_sendto(ep, data, length, DOCA_CC_MSG_FLAG_NONE, peer)
    while rc == DOCA_ERROR_AGAIN:
        time.sleep(0.0001)
        rc = doca_comm_channel_ep_sendto(ep, data, length, DOCA_CC_MSG_FLAG_NONE, peer)
    return rc


def receive(ep):
    end = time.monotonic() + 3
    while time.monotonic() < end:
        rc, data, length, peer = doca_comm_channel_ep_recvfrom(ep, 128, DOCA_CC_MSG_FLAG_NONE)
        if rc != DOCA_ERROR_AGAIN:
            return rc, data, length, peer
        time.sleep(0.001)
    sys.exit("nothing comes")


def main():
    rc, infos, number = doca_devinfo_create_list()
    dpu, host = open_device("03:00.0"), open_device("b1:00.0")
    rc = doca_devinfo_destroy_list(infos)
    rep = dpu.open_representor("b1:00.0")
    service = endpoint(dpu, rep)
    check("listen", doca_comm_channel_ep_listen(service, "copy"))
    ours = endpoint(host)
    check("limits", doca_comm_channel_ep_set_max_msg_size(ours, 1 << 30))
    rc, to_service = doca_comm_channel_ep_connect(ours, "copy")
    while doca_comm_channel_peer_addr_update_info(to_service) == DOCA_ERROR_CONNECTION_INPROGRESS:
        doca_comm_channel_ep_recvfrom(service, 128, DOCA_CC_MSG_FLAG_NONE)

    copy, to_us = b"", None
    step = 100
    for start in range(0, len(TEXT), step):
        piece = TEXT[start : start + step]
        buffer = piece + b"~" * (step - len(piece))
        check("send", send(ours, buffer, len(piece), to_service))
        rc, data, length, to_us = receive(service)
        copy += data[:length]
        answer = b"%d" % length
        check("answer", send(service, answer, len(answer), to_us))
        rc, data, length, _ = receive(ours)
        print("has", data.decode(), rc == DOCA_SUCCESS)
    print(copy == TEXT)

    rc = doca_comm_channel_ep_sendto(ours, bytes(200), 200, DOCA_CC_MSG_FLAG_NONE, to_service)
    check("long", rc)
    rc, most = doca_comm_channel_ep_get_send_queue_size(ours)
    rc, least = doca_comm_channel_ep_get_recv_queue_size(ours)
    print("queues", most, least)
    rc, sent = doca_comm_channel_peer_addr_get_send_bytes(to_service)
    rc, received = doca_comm_channel_peer_addr_get_recv_bytes(to_service)
    print("bytes", sent, received)
    send(ours, b"bye", 3, to_service)
    send(ours, b"bye again", 9, to_service)
    print(receive(service)[1], receive(service)[1])
    check("disconnect", doca_comm_channel_ep_disconnect(ours, to_service))
    check("again", doca_comm_channel_ep_disconnect(ours, to_service))
    rc = doca_comm_channel_ep_sendto(service, b"hello?", 6, DOCA_CC_MSG_FLAG_NONE, to_us)
    while rc == DOCA_SUCCESS:
        rc = doca_comm_channel_ep_sendto(service, b"hello?", 6, DOCA_CC_MSG_FLAG_NONE, to_us)
    print("the other side", doca_error_get_name(rc))
    check("destroy", doca_comm_channel_ep_destroy(ours))
    check("destroy", doca_comm_channel_ep_destroy(service))
    doca_dev_rep_close(rep)
    doca_dev_close(dpu)
    doca_dev_close(host)
    return errors


if __name__ == "__main__":
    sys.exit(main())
