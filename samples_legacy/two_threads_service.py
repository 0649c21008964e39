#!/usr/bin/env python3
"""Two threads share one endpoint, the service on the DPU: one sends, one receives, each in an epoll set of its own."""
import argparse
import hashlib
import os
import select
import signal
import sys
import threading
import time

import doca_comm_channel as cc

SERVICE_NAME = "two_threads"
MAX_MSG_SIZE = 4080
QUEUE_SIZE = 10
SEND_WAIT = 0.01                       # seconds; messages are waited for as long as it takes

first_peer = None
peer_known = threading.Event()


def shown(what, msg):
    return "peer 1 %s %d bytes %s" % (what, len(msg), hashlib.sha256(msg).hexdigest()[:16])


def wait(fd, stop_fd, timeout):
    """False when a signal has come; the next try tells whether there is anything else."""
    with select.epoll() as poller:
        poller.register(fd, select.EPOLLIN)
        poller.register(stop_fd, select.EPOLLIN)
        return all(ready != stop_fd for ready, _ in poller.poll(timeout))


def send(ep, send_fd, peer, lock, stop_fd, msg, log):
    while True:
        with lock:
            try:
                ep.sendto(msg, peer)
                log.append(shown("sent", msg))
                return True
            except cc.Again:
                ep.event_handle_arm_send()
        if not wait(send_fd, stop_fd, SEND_WAIT):
            return False


def receive(ep, recv_fd, lock, stop_fd, log):
    while True:
        with lock:
            try:
                msg, peer = ep.recvfrom(MAX_MSG_SIZE)
                log.append(shown("received", msg))
                return peer
            except cc.Again:
                ep.event_handle_arm_recv()
        if not wait(recv_fd, stop_fd, None):
            return None


def send_all(ep, send_fd, lock, stop_fd, count, log):
    peer_known.wait()                  # the receiver learns of the peer
    if first_peer is None:
        return
    for number in range(count):
        if not send(ep, send_fd, first_peer, lock, stop_fd, b"from the DPU, number %d" % number, log):
            return


def receive_all(ep, recv_fd, lock, stop_fd, count, log):
    global first_peer
    for _ in range(count):
        peer = receive(ep, recv_fd, lock, stop_fd, log)
        if peer is None:
            break
        first_peer = peer
        peer_known.set()
    peer_known.set()


def show_statistics(peer):
    peer.update_info()
    print("peer 1 statistics: sent %d messages %d bytes, received %d messages %d bytes"
          % (peer.get_send_messages(), peer.get_send_bytes(), peer.get_recv_messages(), peer.get_recv_bytes()))


def talk(args, stop_fd):
    dev = cc.open_device(args.pci_addr)
    rep = dev.open_representor(args.rep_pci)
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_device_rep(rep)
    ep.set_max_msg_size(MAX_MSG_SIZE)
    ep.set_send_queue_size(QUEUE_SIZE)
    ep.set_recv_queue_size(QUEUE_SIZE)
    ep.listen(SERVICE_NAME)
    print("listening on", SERVICE_NAME, flush=True)
    send_fd, recv_fd = ep.get_event_channel()
    lock, sent, received, bye = threading.Lock(), [], [], []
    sender = threading.Thread(target=send_all, args=(ep, send_fd, lock, stop_fd, args.count, sent))
    receiver = threading.Thread(target=receive_all, args=(ep, recv_fd, lock, stop_fd, args.count, received))
    sender.start()
    receiver.start()
    while sender.is_alive() or receiver.is_alive():    # so that the main thread hears signals
        time.sleep(0.001)
    print("\n".join(sent + received))
    peer = receive(ep, recv_fd, lock, stop_fd, bye)
    if peer is not None:
        show_statistics(peer)                          # the client waits for our goodbye: counts are final
        send(ep, send_fd, peer, lock, stop_fd, b"bye", bye)
        print("\n".join(bye))
    ep.destroy()
    rep.close()
    dev.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-n", "--count", type=int, default=200, help="messages each way")
    args = parser.parse_args()
    if args.count < 1:
        parser.error("--count is %d: it must be at least 1" % args.count)
    stop_fd, wakeup_fd = os.pipe()
    os.set_blocking(wakeup_fd, False)
    signal.set_wakeup_fd(wakeup_fd)
    signal.signal(signal.SIGINT, lambda signum, frame: None)
    try:
        talk(args, stop_fd)
    except cc.DocaError as error:
        print("result", error.name)
        return 1
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
