"""Both ends of a talk by the C names: what goes right and what goes wrong."""
import sys
import time

from doca_comm_channel import *

SIZE = 256


def check(rc, what):
    if rc != DOCA_SUCCESS:
        print(what, rc, doca_error_get_name(rc))
        sys.exit(int(rc))


def open_device(pci_addr):
    rc, devs, n = doca_devinfo_create_list()
    check(rc, "list")
    for i in range(n):
        rc, same = doca_devinfo_is_equal_pci_addr(devs[i], pci_addr)
        if rc == DOCA_SUCCESS and same:
            rc, dev = doca_dev_open(devs[i])
            check(rc, "open")
            break
    else:
        check(DOCA_ERROR_NOT_FOUND, "device " + pci_addr)
    doca_devinfo_destroy_list(devs)
    return dev


def open_representor(dev):
    rc, reps, n = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_ALL)
    check(rc, "representors")
    rc, rep = doca_dev_rep_open(reps[0])
    check(rc, "open representor")
    doca_devinfo_rep_destroy_list(reps)
    return rep


def receive(ep, size):
    while True:
        rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, size, 0)
        if rc != DOCA_ERROR_AGAIN:
            return rc, msg, length, peer
        time.sleep(1e-5)


def send(ep, peer, msg):
    while (rc := doca_comm_channel_ep_sendto(ep, msg, len(msg), DOCA_CC_MSG_FLAG_NONE, peer)) == DOCA_ERROR_AGAIN:
        time.sleep(1e-5)
    return rc


def serve():
    dev = open_device("03:00.0")
    rep = open_representor(dev)
    rc, ep = doca_comm_channel_ep_create()
    check(rc, "create")
    check(doca_comm_channel_ep_set_device(ep, dev), "device")
    check(doca_comm_channel_ep_set_device_rep(ep, rep), "representor")
    check(doca_comm_channel_ep_set_max_msg_size(ep, SIZE), "size")
    check(doca_comm_channel_ep_listen(ep, "talk"), "listen")
    print("listening", flush=True)
    rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, SIZE, 0)
    print(rc == DOCA_ERROR_AGAIN, msg, length, peer is None)
    rc, msg, length, peer = receive(ep, SIZE)
    print(doca_error_get_descr(rc), msg, length)
    rc, data = doca_comm_channel_peer_addr_get_user_data(peer)
    print(data)
    rc, msg, length, nobody = receive(ep, 4)
    print(doca_error_get_name(rc), msg, length, nobody is None)
    rc, msg, length, peer = receive(ep, 64)
    print(length, send(ep, peer, msg.upper()))
    print(doca_comm_channel_ep_sendto(ep, b"0123456789", 4, 0, peer) == 0)
    print(doca_error_get_name(doca_comm_channel_ep_sendto(ep, b"x" * 257, 257, 0, peer)))
    doca_comm_channel_peer_addr_update_info(peer)
    rc, sent = doca_comm_channel_peer_addr_get_send_messages(peer)
    rc, got = doca_comm_channel_peer_addr_get_recv_bytes(peer)
    print(sent, got)
    rc, msg, length, lost = receive(ep, SIZE)
    print(doca_error_get_name(rc), msg, length, lost is peer)
    rc = doca_comm_channel_ep_disconnect(ep, peer)
    doca_comm_channel_ep_destroy(ep)
    doca_dev_rep_close(rep)
    doca_dev_close(dev)
    return rc


def call():
    dev = open_device("b1:00.0")
    rc, ep = doca_comm_channel_ep_create()
    rc = doca_comm_channel_ep_set_device(ep, dev)
    rc = doca_comm_channel_ep_set_max_msg_size(ep, SIZE)
    rc, peer = doca_comm_channel_ep_connect(ep, "talk")
    check(rc, "connect")
    while doca_comm_channel_peer_addr_update_info(peer) == DOCA_ERROR_CONNECTION_INPROGRESS:
        time.sleep(1e-5)
    print(send(ep, peer, b"hello"), send(ep, peer, b"a longer one"))
    print(receive(ep, SIZE)[1], receive(ep, SIZE)[1], flush=True)
    import os
    os._exit(0)


def nobody():
    dev = open_device("b1:00.0")
    rc, ep = doca_comm_channel_ep_create()
    rc = doca_comm_channel_ep_set_device(ep, dev)
    rc, peer = doca_comm_channel_ep_connect(ep, "nobody")
    print(peer is None)
    if rc != DOCA_SUCCESS:
        doca_comm_channel_ep_destroy(ep)
        doca_dev_close(dev)
    check(rc, "connect")


def none():
    open_device("42:00.0")


if __name__ == "__main__":
    {"serve": serve, "call": call, "nobody": nobody, "none": none}[sys.argv[1]]()
