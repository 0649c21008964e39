#!/usr/bin/env python3
"""Hello over the comm channel, the client on the host: greet the service, print what it answers."""
import argparse
import hashlib
import logging
import signal
import sys
import time

import doca_comm_channel as cc

SERVICE_NAME = "hello"
MAX_MSG_SIZE = 4080
QUEUE_SIZE = 10
LOG_LEVELS = {20: logging.CRITICAL, 30: logging.ERROR, 40: logging.WARNING, 50: logging.INFO, 60: logging.DEBUG}

stop = False


def on_signal(signum, frame):
    global stop
    stop = True


def show(peer, what, msg):
    digest = hashlib.sha256(msg).hexdigest()[:16]
    print("peer %d %s %d bytes %s" % (peer.get_user_data(), what, len(msg), digest), flush=True)


def wait_connected(peer):
    while not stop:
        try:
            peer.update_info()
            return
        except cc.ConnectionInprogress:
            time.sleep(1e-5)
    sys.exit("interrupted")


def receive(ep):
    while not stop:
        try:
            msg, peer = ep.recvfrom(MAX_MSG_SIZE)
            show(peer, "received", msg)
            return msg
        except cc.Again:
            time.sleep(1e-5)
    sys.exit("interrupted")


def send(ep, peer, msg):
    while not stop:
        try:
            ep.sendto(msg, peer)
            show(peer, "sent", msg)
            return
        except cc.Again:
            time.sleep(1e-5)
    sys.exit("interrupted")


def show_statistics(peer):
    peer.update_info()
    sent = (peer.get_send_messages(), peer.get_send_bytes())
    received = (peer.get_recv_messages(), peer.get_recv_bytes())
    print("peer %d statistics: sent %d messages %d bytes, received %d messages %d bytes"
          % ((peer.get_user_data(),) + sent + received))


def greet(args):
    dev = cc.open_device(args.pci_addr)
    ep = cc.Endpoint()
    ep.set_device(dev)
    ep.set_max_msg_size(MAX_MSG_SIZE)
    ep.set_send_queue_size(QUEUE_SIZE)
    ep.set_recv_queue_size(QUEUE_SIZE)
    peer = ep.connect(SERVICE_NAME)
    peer.set_user_data(1)
    wait_connected(peer)

    send(ep, peer, args.text.encode())
    answer = receive(ep)
    logging.info("answer: %s", answer.decode())

    show_statistics(peer)              # the service waits for our goodbye, so counts are final
    send(ep, peer, b"bye")
    receive(ep)
    ep.disconnect(peer)
    ep.destroy()
    dev.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-v", "--version", action="version", version="hello_client 1.5")
    parser.add_argument("-l", "--log-level", type=int, choices=sorted(LOG_LEVELS), default=40,
                        help="CRITICAL=20, ERROR=30, WARNING=40, INFO=50, DEBUG=60")
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", help="representor PCI address (needed only on the DPU)")
    parser.add_argument("-t", "--text", default="Hello from the host", help="text to be sent to the service")
    args = parser.parse_args()
    logging.basicConfig(level=LOG_LEVELS[args.log_level], format="%(levelname)s %(message)s")
    signal.signal(signal.SIGINT, on_signal)
    try:
        greet(args)
    except cc.DocaError as error:
        print("result", error.name)
        return 1
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
