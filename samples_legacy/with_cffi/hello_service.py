#!/usr/bin/env python3
"""Hello through cffi, the service on the DPU: wait for a greeting, answer it with a text."""
import argparse
import sys

from channel import (common, create_endpoint, ended, lib, listen, open_device, open_representor, receive, send,
                     show_statistics)


def serve(args):
    dev = open_device(args.pci_addr)
    rep = open_representor(dev, args.rep_pci)
    ep = create_endpoint(dev, 10)
    listen(ep, rep, "hello")
    greeting, peer = receive(ep)       # the service learns its peer from the first message
    send(ep, peer, args.text.encode())
    bye, peer = receive(ep)            # until here the client is there for sure, and counts are final
    show_statistics(peer)
    send(ep, peer, bye)
    lib.doca_comm_channel_ep_disconnect(ep, peer)
    lib.doca_comm_channel_ep_destroy(ep)
    common.doca_dev_rep_close(rep)
    common.doca_dev_close(dev)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-p", "--pci-addr", default="03:00.0", help="device PCI address")
    parser.add_argument("-r", "--rep-pci", default="b1:00.0", help="representor PCI address")
    parser.add_argument("-t", "--text", default="Hello from the DPU", help="text to be sent to the client")
    sys.exit(ended(serve, parser.parse_args()))
