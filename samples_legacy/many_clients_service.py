#!/usr/bin/env python3
"""One service and many clients, on the DPU: answer each as it comes, sleep in epoll between, stop when all have left."""
import argparse
import hashlib
import select
import sys

from doca_comm_channel import *

SERVICE_NAME = "many_clients"
MAX_MSG_SIZE = 4080
QUEUE_SIZE = 8


def show(peer, what, msg):
    rc, number = doca_comm_channel_peer_addr_get_user_data(peer)
    print("peer %d %s %d bytes %s" % (number, what, len(msg), hashlib.sha256(msg).hexdigest()[:16]))


def wait(fd):
    with select.epoll() as poller:
        poller.register(fd, select.EPOLLIN)
        poller.poll()


def receive(ep, recv_fd):
    while True:
        length = MAX_MSG_SIZE              # in and out: to be set again before every try
        rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, length, DOCA_CC_MSG_FLAG_NONE)
        if rc != DOCA_ERROR_AGAIN:
            return rc, msg, peer
        doca_comm_channel_ep_event_handle_arm_recv(ep)
        wait(recv_fd)


def answer(ep, send_fd, peer, msg):
    while True:
        rc = doca_comm_channel_ep_sendto(ep, msg, len(msg), DOCA_CC_MSG_FLAG_NONE, peer)
        if rc != DOCA_ERROR_AGAIN:
            return rc
        doca_comm_channel_ep_event_handle_arm_send(ep)
        wait(send_fd)


def show_statistics(peer):
    rc = doca_comm_channel_peer_addr_update_info(peer)
    if rc != DOCA_SUCCESS:
        return rc
    rc, number = doca_comm_channel_peer_addr_get_user_data(peer)
    rc, sent = doca_comm_channel_peer_addr_get_send_messages(peer)
    rc, received = doca_comm_channel_peer_addr_get_recv_messages(peer)
    print("peer %d statistics: sent %d messages, received %d messages" % (number, sent, received))
    return rc


def serve(ep, clients):
    rc, send_fd, recv_fd = doca_comm_channel_ep_get_event_channel(ep)
    while rc == DOCA_SUCCESS and clients > 0:
        rc, msg, peer = receive(ep, recv_fd)
        if rc != DOCA_SUCCESS:
            break
        number, words = msg.decode().split(" ", 1)
        doca_comm_channel_peer_addr_set_user_data(peer, int(number))
        show(peer, "received", msg)
        if words == "says bye":
            clients -= 1
            rc = show_statistics(peer)     # the client waits for our goodbye: counts are final
        if rc == DOCA_SUCCESS:
            rc = answer(ep, send_fd, peer, msg)
            show(peer, "sent", msg)
    return rc


def open_device(pci_addr):
    rc, devinfos, count = doca_devinfo_create_list()
    if rc != DOCA_SUCCESS:
        return rc, None
    rc, dev = DOCA_ERROR_NOT_FOUND, None
    for i in range(count):
        equal_rc, equal = doca_devinfo_is_equal_pci_addr(devinfos[i], pci_addr)
        if equal_rc == DOCA_SUCCESS and equal:
            rc, dev = doca_dev_open(devinfos[i])
            break
    doca_devinfo_destroy_list(devinfos)
    return rc, dev


def open_representor(dev, pci_addr):
    rc, devinfos, count = doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET)
    if rc != DOCA_SUCCESS:
        return rc, None
    rc, rep = DOCA_ERROR_NOT_FOUND, None
    for i in range(count):
        equal_rc, equal = doca_devinfo_rep_is_equal_pci_addr(devinfos[i], pci_addr)
        if equal_rc == DOCA_SUCCESS and equal:
            rc, rep = doca_dev_rep_open(devinfos[i])
            break
    doca_devinfo_rep_destroy_list(devinfos)
    return rc, rep


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-n", "--count", type=int, default=8, help="number of clients to wait for")
    args = parser.parse_args()
    if args.count < 1:
        parser.error("--count is %d: it must be at least 1" % args.count)
    rc, dev = open_device(args.pci_addr)
    if rc != DOCA_SUCCESS:
        print("result", doca_error_get_name(rc))
        return 1
    rc, rep = open_representor(dev, args.rep_pci)
    if rc != DOCA_SUCCESS:
        print("result", doca_error_get_name(rc))
        return 1
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        print("result", doca_error_get_name(rc))
        return 1
    doca_comm_channel_ep_set_device(ep, dev)
    doca_comm_channel_ep_set_device_rep(ep, rep)
    doca_comm_channel_ep_set_max_msg_size(ep, MAX_MSG_SIZE)
    doca_comm_channel_ep_set_send_queue_size(ep, QUEUE_SIZE)
    doca_comm_channel_ep_set_recv_queue_size(ep, QUEUE_SIZE)
    rc = doca_comm_channel_ep_listen(ep, SERVICE_NAME)
    if rc != DOCA_SUCCESS:
        print("result", doca_error_get_name(rc))
        return 1
    print("listening on", SERVICE_NAME, flush=True)
    rc = serve(ep, args.count)
    doca_comm_channel_ep_destroy(ep)
    doca_dev_rep_close(rep)
    doca_dev_close(dev)
    print("result", doca_error_get_name(rc))
    return 0 if rc == DOCA_SUCCESS else 1


if __name__ == "__main__":
    sys.exit(main())
