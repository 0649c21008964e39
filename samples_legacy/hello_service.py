#!/usr/bin/env python3
"""Hello over the comm channel, the service on the DPU: wait for a greeting, answer it with a text."""
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


def receive(ep):
    while not stop:
        try:
            return ep.recvfrom(MAX_MSG_SIZE)
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


def serve(args):
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

    msg, peer = receive(ep)            # the service learns its peer from the first message
    peer.set_user_data(1)
    show(peer, "received", msg)
    logging.info("greeting: %s", msg.decode())
    send(ep, peer, args.text.encode())

    bye, peer = receive(ep)            # until here the client is there for sure, and counts are final
    show(peer, "received", bye)
    show_statistics(peer)
    send(ep, peer, bye)
    ep.disconnect(peer)
    ep.destroy()
    rep.close()
    dev.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-v", "--version", action="version", version="hello_service 1.5")
    parser.add_argument("-l", "--log-level", type=int, choices=sorted(LOG_LEVELS), default=40,
                        help="CRITICAL=20, ERROR=30, WARNING=40, INFO=50, DEBUG=60")
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-t", "--text", default="Hello from the DPU", help="text to be sent to the client")
    args = parser.parse_args()
    logging.basicConfig(level=LOG_LEVELS[args.log_level], format="%(levelname)s %(message)s")
    signal.signal(signal.SIGINT, on_signal)
    try:
        serve(args)
    except cc.DocaError as error:
        print("result", error.name)
        return 1
    print("result DOCA_SUCCESS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
