#!/usr/bin/env python3
"""Many clients of one service, all in this program on the host: each says who it is, and prints what it is answered."""
import argparse
import hashlib
import select
import sys
import threading

from doca_comm_channel import *

SERVICE_NAME = "many_clients"
MAX_MSG_SIZE = 4080
QUEUE_SIZE = 8

failures = []


def wait(fd):
    with select.epoll() as poller:
        poller.register(fd, select.EPOLLIN)
        poller.poll()


def send(ep, send_fd, peer, msg, number, log):
    while True:
        rc = doca_comm_channel_ep_sendto(ep, msg, len(msg), DOCA_CC_MSG_FLAG_NONE, peer)
        if rc != DOCA_ERROR_AGAIN:
            break
        doca_comm_channel_ep_event_handle_arm_send(ep)
        wait(send_fd)
    log.append("peer %d sent %d bytes %s" % (number, len(msg), hashlib.sha256(msg).hexdigest()[:16]))
    return rc


def receive(ep, recv_fd, number, log):
    while True:
        length = MAX_MSG_SIZE
        rc, msg, length, peer = doca_comm_channel_ep_recvfrom(ep, length, DOCA_CC_MSG_FLAG_NONE)
        if rc != DOCA_ERROR_AGAIN:
            break
        doca_comm_channel_ep_event_handle_arm_recv(ep)
        wait(recv_fd)
    if rc == DOCA_SUCCESS:
        log.append("peer %d received %d bytes %s" % (number, len(msg), hashlib.sha256(msg).hexdigest()[:16]))
    return rc


def ask(ep, peer, number, log):
    rc, send_fd, recv_fd = doca_comm_channel_ep_get_event_channel(ep)
    if rc != DOCA_SUCCESS:
        return rc
    for msg in (b"%d is here" % number, b"%d says bye" % number):
        rc = send(ep, send_fd, peer, msg, number, log)
        if rc != DOCA_SUCCESS:
            return rc
        rc = receive(ep, recv_fd, number, log)
        if rc != DOCA_SUCCESS:
            return rc
    return rc


def run_client(dev, number, log):
    rc, ep = doca_comm_channel_ep_create()
    if rc != DOCA_SUCCESS:
        failures.append(rc)
        return
    doca_comm_channel_ep_set_device(ep, dev)
    doca_comm_channel_ep_set_max_msg_size(ep, MAX_MSG_SIZE)
    doca_comm_channel_ep_set_send_queue_size(ep, QUEUE_SIZE)
    doca_comm_channel_ep_set_recv_queue_size(ep, QUEUE_SIZE)
    rc, peer = doca_comm_channel_ep_connect(ep, SERVICE_NAME)
    if rc != DOCA_SUCCESS:
        failures.append(rc)
        return
    rc = ask(ep, peer, number, log)
    doca_comm_channel_ep_disconnect(ep, peer)
    if rc != DOCA_SUCCESS:
        failures.append(rc)
    doca_comm_channel_ep_destroy(ep)


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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-n", "--count", type=int, default=8, help="number of clients")
    args = parser.parse_args()
    if args.count < 1:
        parser.error("--count is %d: it must be at least 1" % args.count)
    rc, dev = open_device(args.pci_addr)
    if rc != DOCA_SUCCESS:
        print("result", doca_error_get_name(rc))
        return 1
    logs = [[] for _ in range(args.count)]
    threads = []
    for i in range(args.count):
        thread = threading.Thread(target=run_client, args=(dev, i + 1, logs[i]))
        thread.start()
        threads.append(thread)
    for thread in threads:
        thread.join()
    doca_dev_close(dev)
    for log in logs:
        print("\n".join(log))
    print("result", doca_error_get_name(failures[0] if failures else DOCA_SUCCESS))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
