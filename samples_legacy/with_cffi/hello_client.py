#!/usr/bin/env python3
"""Hello through cffi, the client on the host: greet the service, show what it answers."""
import argparse
import sys

from channel import common, connect, create_endpoint, ended, lib, open_device, receive, send, show_statistics


def greet(args):
    dev = open_device(args.pci_addr)
    ep = create_endpoint(dev, 10)
    peer = connect(ep, "hello")
    send(ep, peer, args.text.encode())
    receive(ep)
    show_statistics(peer)              # the service waits for our goodbye, so counts are final
    send(ep, peer, b"bye")
    receive(ep)
    lib.doca_comm_channel_ep_disconnect(ep, peer)
    lib.doca_comm_channel_ep_destroy(ep)
    common.doca_dev_close(dev)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="b1:00.0", help="device PCI address")
    parser.add_argument("-t", "--text", default="Hello from the host", help="text to be sent to the service")
    sys.exit(ended(greet, parser.parse_args()))
