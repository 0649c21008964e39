#!/usr/bin/env python3
"""Two threads share one endpoint through cffi, the client on the host: one sends, one receives."""
import argparse
import sys

from channel import common, connect, create_endpoint, ended, lib, open_device, show_statistics
from two_threads_common import SERVICE_NAME, Shared, open_signalfd


def talk(args, stop_fd):
    dev = open_device(args.pci_addr)
    ep = create_endpoint(dev, 10)
    peer = connect(ep, SERVICE_NAME)
    shared, bye = Shared(ep, stop_fd), []
    shared.peer = peer
    shared.peer_known.set()
    shared.talk(b"from the host, number %d", args.count)
    show_statistics(peer)              # the service waits for our goodbye: counts are final
    shared.send(b"bye", bye)
    shared.receive(bye)
    print("\n".join(bye))
    lib.doca_comm_channel_ep_disconnect(ep, peer)
    lib.doca_comm_channel_ep_destroy(ep)
    common.doca_dev_close(dev)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-n", "--count", type=int, default=200, help="messages each way")
    sys.exit(ended(talk, parser.parse_args(), open_signalfd()))
